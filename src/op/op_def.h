// OpDef: all there is to know about an op: schema, shape function, gradient, kernels. Written as an OpEntry with the
// schema in a small language (its grammar is in op_parse.cc), parsed once when it is added to a registry.
#ifndef WEIR_OP_OP_DEF_H_
#define WEIR_OP_OP_DEF_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "op/attr_value.h"
#include "op/op_traits.h"
#include "op/output.h"

namespace weir {

class ShapeContext;
class GradientContext;
class KernelSetup;
class Kernel;

using ShapeFn = std::function<Status(ShapeContext&)>;
// One entry per data input of the node, in order.
using Gradients = std::vector<Grad>;
using GradientFn = std::function<Result<Gradients>(GradientContext&)>;
using KernelFactory = std::function<Result<Kernel>(KernelSetup&)>;

struct ArgDef {
  std::string name;
  DType type = kInvalidType;   // a fixed type, or
  std::string type_attr;       // the attribute that gives it, or
  std::string type_list_attr;  // the attribute that gives a list of types
  std::string number_attr;     // with type or type_attr: how many tensors
  bool is_ref = false;
  bool is_list() const { return !number_attr.empty() || !type_list_attr.empty(); }
};

struct AttrDef {
  std::string name;
  std::string type;  // "type", "int", "list(shape)", "func", ...
  std::optional<AttrValue> default_value;
  std::vector<DType> allowed_types;
  std::vector<std::string> allowed_strings;
  std::optional<int64_t> minimum;  // of an int, or of a list's length
};

// An attribute that counts something: the value of an int, or the length of a list.
struct LengthDef {
  std::string attr;
  bool may_be_empty = false;  // an empty list then agrees with every length
};

// A kernel for one device kind and one choice of types.
struct KernelDef {
  std::string device = "CPU";
  std::vector<std::pair<std::string, DType>> types;  // attribute -> type that this kernel serves
  KernelFactory make;
  std::vector<std::string> host_memory;  // names of arguments that live in host memory
};
using KernelList = std::vector<KernelDef>;

// Why an op has no gradient function.
enum class NoGradient { kNone, kIntended };
constexpr NoGradient kNoGradient = NoGradient::kIntended;  // how entries write it

// What an op's file writes down. `attrs` in the attribute language: "T: {float, double} = DT_FLOAT", "N: int >= 1",
// "transpose_a: bool = false", "shape: shape", "padding: {'SAME', 'VALID'}", "Tout: list(type) >= 1". Groups of types
// are numbertype, realnumbertype and quantizedtype, also inside braces: "T: {numbertype, bool}".
struct OpEntry {
  std::string name;
  std::string signature;  // "x: T, y: T -> z: T", "ref: Ref(T)", "values: N * T", "args: Targs", "dim: int32"
  std::vector<std::string> attrs = {};
  // Attributes that must give the same length: "Nsparse = sparse_types", "Tout = output_shapes?" (? may be empty).
  std::vector<std::string> equal_lengths = {};
  ShapeFn shape = {};  // empty: unknown shapes
  GradientFn gradient = {};
  NoGradient no_gradient = NoGradient::kNone;  // kIntended: an intended zero, autodiff stops here silently
  KernelList kernels = {};
  OpTraits traits = {};
  bool stateful = false;
  bool commutative = false;
  bool aggregate = false;
  bool allows_uninitialized_input = false;
};

struct OpDef {
  std::string name;
  std::vector<ArgDef> inputs;
  std::vector<ArgDef> outputs;
  std::vector<AttrDef> attrs;
  std::vector<std::vector<LengthDef>> equal_lengths;
  ShapeFn shape;
  GradientFn gradient;
  NoGradient no_gradient = NoGradient::kNone;
  KernelList kernels;
  OpTraits traits;  // completed: the optional ones have values
  bool stateful = false;
  bool commutative = false;
  bool aggregate = false;
  bool allows_uninitialized_input = false;
  bool is_function = false;  // a function of a graph's library seen as an op

  const AttrDef* FindAttr(std::string_view name) const;
  // True if an attribute is a function.
  bool TakesFunctions() const;
  bool may_block() const { return traits.may_block.value_or(true); }
  bool keeps_inputs() const { return traits.keeps_inputs.value_or(true); }
  OutputMemory output_memory() const { return traits.memory.value_or(OutputMemory::kMayShare); }
};

// Parses schema text. Errors quote the text.
Result<OpDef> ParseOp(OpEntry entry);
Result<AttrDef> ParseAttr(std::string_view text);

// Holds one value against its attribute: kind, allowed values, minimum. An empty list becomes one of the right kind, an
// int given for a float a float. Placeholders pass.
Status CheckAndConvertAttr(const AttrDef& def, AttrValue* value);
// Fills in defaults, checks kinds, allowed values, minima and lengths that must be equal. Unknown attributes that start
// with '_' are kept.
Status CheckAndCompleteAttrs(const OpDef& op, AttrMap* attrs);
// The types of all inputs or outputs, lists flattened, reference types as such. REQUIRES: completed attributes.
Result<std::vector<DType>> ArgTypes(const std::vector<ArgDef>& args, const AttrMap& attrs);
// How many tensors an argument stands for.
Result<int> ArgCount(const ArgDef& arg, const AttrMap& attrs);

}  // namespace weir

#endif  // WEIR_OP_OP_DEF_H_

// OpDef: the definition of an op: schema, shape function, gradient, kernels. Written as an OpEntry with the schema in a
// small language (grammar: op_parse.cc), which the registry parses once, on first use.
#ifndef WEIR_OP_OP_DEF_H_
#define WEIR_OP_OP_DEF_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/op/attr_value.h"
#include "weir/op/op_traits.h"
#include "weir/op/output.h"

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
  // Exactly one of the first three is set.
  DType type = kInvalidType;   // a fixed type
  std::string type_attr;       // the attribute that holds the type
  std::string type_list_attr;  // the attribute that holds a list of types
  std::string number_attr;     // with type or type_attr: the attribute that holds the number of tensors
  bool is_ref = false;
  bool is_list() const { return !number_attr.empty() || !type_list_attr.empty(); }
};

struct AttrDef {
  std::string name;
  std::string type;  // "type", "int", "list(shape)", "func", ...
  std::optional<AttrValue> default_value;
  std::vector<DType> allowed_types;
  std::vector<std::string> allowed_strings;
  std::optional<int64_t> minimum;  // of an int, or of the length of a list
};

// An attribute that defines a length: the value of an int, or the length of a list.
struct LengthDef {
  std::string attr;
  bool may_be_empty = false;  // if so, an empty list matches every length
};

// A kernel for one device kind and one choice of types.
struct KernelDef {
  std::string device = "CPU";
  std::vector<std::pair<std::string, DType>> types;  // attribute -> type that this kernel supports
  KernelFactory make;
  std::vector<std::string> host_memory;  // names of arguments that live in host memory
};
using KernelList = std::vector<KernelDef>;

// Why an op has no gradient function.
enum class NoGradient { kNone, kIntended };
constexpr NoGradient kNoGradient = NoGradient::kIntended;  // for use in OpEntry

// The types of a group of the schema language, such as "numbertype"; empty if there is no such group.
std::vector<DType> TypeGroup(std::string_view name);

// The source form of an op. Examples of `attrs`: "T: {float, double} = DT_FLOAT", "N: int >= 1",
// "transpose_a: bool = false", "shape: shape", "padding: {'SAME', 'VALID'}", "Tout: list(type) >= 1". Type groups are
// numbertype, realnumbertype and quantizedtype, also inside braces: "T: {numbertype, bool}".
struct OpEntry {
  std::string name;
  std::string signature;  // "x: T, y: T -> z: T", "ref: Ref(T)", "values: N * T", "args: Targs", "dim: int32"
  std::vector<std::string> attrs = {};
  // Attributes that must have equal lengths: "Nsparse = sparse_types", "Tout = output_shapes?" ("?": may be empty).
  std::vector<std::string> equal_lengths = {};
  ShapeFn shape = {};  // if empty, all output shapes are unknown
  GradientFn gradient = {};
  NoGradient no_gradient = NoGradient::kNone;  // kIntended: the gradient is zero; autodiff stops here without an error
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
  OpTraits traits;  // with defaults filled in: no optional is empty
  bool stateful = false;
  bool commutative = false;
  bool aggregate = false;
  bool allows_uninitialized_input = false;
  bool is_function = false;    // a function of a graph's library, used as an op
  bool is_fused = false;       // made by a pass for one node that replaces several (runtime/fused_elementwise.h)
  bool is_gpu_region = false;  // made by runtime/gpu_region.h

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

// Checks a value against its attribute definition: kind, allowed values, minimum. Converts an untyped empty list to the
// declared kind, and an int to a float if the attribute is a float. Accepts placeholders.
Status CheckAndConvertAttr(const AttrDef& def, AttrValue* value);
// Fills in defaults and checks kinds, allowed values, minima and equal lengths. Keeps unknown attributes that start
// with '_'; other unknown attributes are an error.
Status CheckAndCompleteAttrs(const OpDef& op, AttrMap* attrs);
// The types of all inputs or outputs, with lists flattened and reference types kept. REQUIRES: completed attributes.
Result<std::vector<DType>> ArgTypes(const std::vector<ArgDef>& args, const AttrMap& attrs);
// The number of tensors of an argument.
Result<int> ArgCount(const ArgDef& arg, const AttrMap& attrs);

}  // namespace weir

#endif  // WEIR_OP_OP_DEF_H_

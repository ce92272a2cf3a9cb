// ArgResolver: the part of NodeBuilder that turns the arguments of one op into outputs. It infers type, number and
// type-list attributes on the way. Errors are in TensorFlow's words.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/input.h"

namespace weir {

class ArgResolver final {
 public:
  // `args` gives the inputs of the op's argument i. In order: an argument has a say in a type attribute only after
  // those before it, literals too; otherwise the first tensor decides.
  ArgResolver(Graph& graph, const OpDef& op, AttrMap& attrs, bool in_order,
              std::function<const InputList&(size_t)> args)
      : graph_(graph), op_(op), attrs_(attrs), in_order_(in_order), args_(std::move(args)) {}

  // Before any argument is resolved.
  Status Prepare();
  Status Resolve(const ArgDef& arg, const InputList& inputs, std::vector<Output>* out);
  // Checks the types of resolved inputs against the schema.
  Status CheckInputTypes(const std::vector<Output>& inputs) const;

 private:
  Status CheckGraphs() const;
  // The type that the argument must have; kInvalidType when that is open.
  Result<DType> Wanted(const ArgDef& arg) const;
  void SetType(const ArgDef& arg, DType type);
  Status ResolveSingle(const ArgDef& arg, const Input& input, std::vector<Output>* out);
  // N tensors of one type.
  Status ResolveNumbered(const ArgDef& arg, const InputList& inputs, std::vector<Output>* out);
  bool HasDefault(const std::string& attr) const;
  Status SetNumber(const ArgDef& arg, int64_t count);
  // What the elements of a list are by themselves, for messages.
  static std::string ObservedTypes(const InputList& inputs);
  // " ('a:0' of type float32, 'b:0' of type int32)": the tensors of a list, for messages.
  static std::string NamedTensors(const InputList& inputs);
  // A literal that nothing else gives a type takes the attribute's default where its own type is not allowed and the
  // default can hold it.
  DType PreferredType(const ArgDef& arg, const Input& input, DType wanted) const;
  // The error for a literal that does not convert to the input, in TensorFlow's words.
  Status LiteralError(const ArgDef& arg, DType wanted, const Status& status) const;
  Status CheckAllowed(const ArgDef& arg, Output value) const;
  // The expected type and, as the end of a list, the tensor that determines it (empty if there is none).
  std::pair<std::string, std::string> ExpectedTypeText(const ArgDef& arg, DType wanted) const;
  Status ResolveTypeList(const ArgDef& arg, const InputList& inputs, std::vector<Output>* out);
  Status InvalidTypeList(const ArgDef& arg, const InputList& inputs) const;
  Graph& graph_;
  const OpDef& op_;
  AttrMap& attrs_;
  const bool in_order_;
  std::function<const InputList&(size_t)> args_;
  std::map<std::string, std::string> inferred_from_;  // attribute: the argument that decided it
};

}  // namespace weir

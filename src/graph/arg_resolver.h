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
  // `args` returns the inputs of argument i of the op. `in_order`: the first argument of a type attribute determines
  // it, even if it is a literal. Otherwise the first tensor does.
  ArgResolver(Graph& graph, const OpDef& op, AttrMap& attrs, bool in_order,
              std::function<const InputList&(size_t)> args)
      : graph_(graph), op_(op), attrs_(attrs), in_order_(in_order), args_(std::move(args)) {}

  // Call it before the arguments are resolved.
  Status Prepare();
  Status Resolve(const ArgDef& arg, const InputList& inputs, std::vector<Output>* out);
  // Checks the types of resolved inputs against the schema.
  Status CheckInputTypes(const std::vector<Output>& inputs) const;

 private:
  Status CheckGraphs() const;
  // The type that the argument must have; kInvalidType if it is not determined yet.
  Result<DType> Wanted(const ArgDef& arg) const;
  void SetType(const ArgDef& arg, DType type);
  Status ResolveSingle(const ArgDef& arg, const Input& input, std::vector<Output>* out);
  // N tensors of one type.
  Status ResolveNumbered(const ArgDef& arg, const InputList& inputs, std::vector<Output>* out);
  bool HasDefault(const std::string& attr) const;
  Status SetNumber(const ArgDef& arg, int64_t count);
  // The types that the elements of a list have without conversion, for messages.
  static std::string ObservedTypes(const InputList& inputs);
  // " ('a:0' of type float32, 'b:0' of type int32)": the tensors of a list, for messages.
  static std::string NamedTensors(const InputList& inputs);
  // Returns the type for a literal that no other argument determines: the attribute's default, if the literal's own
  // type is not allowed and the default type can represent the literal.
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

#include "graph/compose/slice_assign.h"

#include "graph/node_builder.h"

namespace weir {
namespace {

constexpr const char* kMasks[] = {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"};

bool GivesVariable(const Output& value) { return value.node->op().traits.value_use == ValueUse::kGives; }

// The reference or resource handle that `value` is a read of, or an invalid output.
Output VariableOfRead(const Output& value) {
  if (IsRef(value.dtype())) return value;
  if (GivesVariable(value)) return value.node->input(0);
  if (!IsAlias(value.node->op().traits)) return Output();
  const Output input = value.node->input(0);
  return IsRef(input.dtype()) || GivesVariable(input) ? VariableOfRead(input) : Output();
}

}  // namespace

bool IsSliceOfVariable(const Output& value) {
  return value.valid() && value.node->op().traits.shape_value == ShapeValue::kSlice &&
         VariableOfRead(value.node->input(0)).valid();
}

Result<Output> AssignSlice(const Output& slice, const Input& value, const std::string& name) {
  if (!IsSliceOfVariable(slice)) return InvalidArgument("Sliced assignment is only supported for variables");
  const Output variable = VariableOfRead(slice.node->input(0));
  Graph& graph = slice.graph();
  const bool resource = variable.base_dtype() == kResource;
  WEIR_ASSIGN(Output given, ToOutput(graph, value, slice.base_dtype(), "value"));
  NodeBuilder builder(graph, resource ? "ResourceStridedSliceAssign" : "StridedSliceAssign",
                      name.empty() ? slice.node->name() + "_assign/" : name);
  builder.In(variable);
  for (int i = 1; i <= 3; ++i) builder.In(slice.node->input(i));
  builder.In(given);
  for (const char* mask : kMasks) {
    WEIR_ASSIGN(int64_t bits, slice.node->Attr<int64_t>(mask));
    builder.Attr(mask, bits);
  }
  WEIR_ASSIGN(Node * update, builder.Build());
  if (!resource) return Output(update, 0);
  ControlDependencies after(graph, {update});
  WEIR_ASSIGN(Node * read, NodeBuilder(graph, "ReadVariableOp").In(variable).Attr("dtype", slice.base_dtype()).Build());
  return Output(read, 0);
}

}  // namespace weir

// The list of passes, in the order in which they help each other: fewer nodes to fold after duplicates are gone.
#include "runtime/passes/passes.h"

namespace weir {

Status RunPasses(PlanGraph& graph, const PassOptions& options) {
  if (options.optimize) {
    WEIR_TRY(MergeDuplicates(graph));
    WEIR_TRY(SkipUnusedValues(graph));
  }
  if (options.fold_constants && options.evaluator != nullptr) WEIR_TRY(FoldConstants(graph, *options.evaluator));
  if (options.optimize || options.fold_constants) RemoveUnneeded(graph);
  return OkStatus();
}

bool IsPure(const PlanGraph& graph, const PlanGraph::Node& node) {
  const OpDef& op = node.op();
  if (op.stateful || op.is_function || KindOf(op) != NodeKind::kKernel) return false;
  for (DType t : node.props->input_types) {
    if (IsRef(t) || t == kResource || t == kVariant) return false;
  }
  for (DType t : node.props->output_types) {
    if (IsRef(t) || t == kResource || t == kVariant) return false;
  }
  for (PlanValue input : node.inputs) {
    if (IsRef(graph.type_of(input))) return false;  // the variable may change between two reads
  }
  return true;
}

}  // namespace weir

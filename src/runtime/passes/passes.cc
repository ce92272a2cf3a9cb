// The list of passes, in the order in which they help each other: fewer nodes to fold after duplicates are gone.
#include "runtime/passes/passes.h"

#include "proto/config.pb.h"

namespace weir {

PassOptions PassOptionsOf(const tensorflow::ConfigProto& config, ConstantEvaluator* evaluator) {
  const tensorflow::GraphOptions& graph = config.graph_options();
  PassOptions options{.evaluator = evaluator};
  options.optimize = graph.optimizer_options().opt_level() != tensorflow::OptimizerOptions::L0 &&
                     !graph.rewrite_options().disable_meta_optimizer();
  options.fold_constants =
      options.optimize && graph.rewrite_options().constant_folding() != tensorflow::RewriterConfig::OFF;
  return options;
}

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

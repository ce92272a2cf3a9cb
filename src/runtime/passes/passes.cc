// Runs the passes in a suitable order: e.g. there are fewer nodes to fold after duplicates are merged.
#include "runtime/passes/passes.h"

#include "base/environment.h"
#include "proto/config.pb.h"

namespace weir {

namespace {

bool Optimizes(const tensorflow::GraphOptions& graph) {
  return graph.optimizer_options().opt_level() != tensorflow::OptimizerOptions::L0 &&
         !graph.rewrite_options().disable_meta_optimizer();
}

bool FoldsActivations(const tensorflow::GraphOptions& graph) {
  return Optimizes(graph) && graph.rewrite_options().remapping() != tensorflow::RewriterConfig::OFF;
}

bool PlansMemory(const tensorflow::GraphOptions& graph) {
  return Optimizes(graph) && graph.rewrite_options().memory_optimization() != tensorflow::RewriterConfig::NO_MEM_OPT;
}

// WEIR_GPU_GRAPHS=0 is for comparisons with steps whose nodes run one by one.
bool FormsGpuRegions(const tensorflow::GraphOptions& graph) {
  return Optimizes(graph) && ReadEnvironmentOr({"WEIR_GPU_GRAPHS", "0 or 1", 0, 1}, 1) == 1;
}

}  // namespace

PassOptions PassOptionsOf(const tensorflow::ConfigProto& config, ConstantEvaluator* evaluator) {
  const tensorflow::GraphOptions& graph = config.graph_options();
  PassOptions options{.order_updates = true, .evaluator = evaluator};
  options.optimize = Optimizes(graph);
  options.fold_constants =
      options.optimize && graph.rewrite_options().constant_folding() != tensorflow::RewriterConfig::OFF;
  options.fuse = options.optimize;
  options.fold_activations = FoldsActivations(graph);
  options.form_gpu_regions = FormsGpuRegions(graph);
  options.plan_memory = PlansMemory(graph);
  options.explain = ExplainRequested();
  return options;
}

PassOptions LocalPassOptionsOf(const tensorflow::GraphOptions& graph) {
  return {.fuse = Optimizes(graph),
          .fold_activations = FoldsActivations(graph),
          .form_gpu_regions = FormsGpuRegions(graph),
          .plan_memory = PlansMemory(graph),
          .explain = ExplainRequested()};
}

Status RunPasses(PlanGraph& graph, const PassOptions& options, PassReport& report) {
  report.nodes_before = static_cast<int64_t>(graph.nodes.size());
  if (options.optimize) {
    WEIR_TRY(MergeDuplicates(graph, report));
    WEIR_TRY(SkipUnusedValues(graph, report));
  }
  if (options.fold_constants && options.evaluator != nullptr)
    WEIR_TRY(FoldConstants(graph, *options.evaluator, report));
  if (options.optimize || options.fold_constants) RemoveUnneeded(graph);
  report.nodes_after = static_cast<int64_t>(graph.nodes.size());
  return OkStatus();
}

Status RunLocalPasses(PlanGraph& graph, const OpRegistry& registry, const PassOptions& options, PassReport& report) {
  if (options.fuse) {
    // Runs before FuseElementwise, which would also fuse activations that can be folded into products.
    if (options.fold_activations) FoldActivations(graph, registry, report);
    if (!report.fused.empty()) RemoveUnneeded(graph);
    WEIR_TRY(FuseElementwise(graph, report));
    RemoveUnneeded(graph);
  }
  report.nodes_after = static_cast<int64_t>(graph.nodes.size());
  if (!options.explain) return OkStatus();
  report.part_of = options.part_of;
  Explain(report.ToString(graph));
  return OkStatus();
}

const Tensor* ConstantOf(const PlanGraph& graph, PlanValue value) {
  if (value.fed()) return nullptr;
  const PlanGraph::Node& node = graph.nodes[value.node];
  if (node.op().traits.kind != NodeKind::kConst || !node.control_inputs.empty()) return nullptr;
  const Result<const Tensor*> tensor = GetTensor(*node.props->attrs, "value");
  return tensor.ok() ? *tensor : nullptr;
}

bool IsShapeNode(const PlanGraph::Node& node) {
  return node.op().traits.shape_value == ShapeValue::kShape && node.inputs.size() == 1;
}

bool IsPure(const PlanGraph& graph, const PlanGraph::Node& node) {
  const OpDef& op = node.op();
  if (op.stateful || op.is_function || op.traits.kind != NodeKind::kKernel) return false;
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

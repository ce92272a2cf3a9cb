#include "train/scaffold.h"

#include "graph/build/array_ops.h"
#include "graph/build/flow_ops.h"
#include "graph/compose/variable.h"
#include "graph/graph_keys.h"
#include "graph/node_builder.h"
#include "train/model_parts.h"

namespace weir {
namespace {

Node* InitializeResources(Graph& graph) { return NoOp(graph, {.name = "init"}); }

// Reports uninitialized variables and resources. The list of resources is always empty; its nodes exist only because
// TensorFlow has nodes with these names.
Result<Output> ReportMissing(Graph& graph, const std::vector<VariablePtr>& variables) {
  const Output names = ReportUninitialized(graph, variables);
  Output resources;
  {
    NameScope scope(graph, "report_uninitialized_resources");
    DeviceScope on_cpu(graph, "/cpu:0");
    resources = Constant(graph, Tensor::Vector<std::string>({}));
  }
  const Output all = ConcatV2(graph, {names, resources}, 0, {.name = "concat"});
  WEIR_TRY(graph.TakeError());
  return all;
}

}  // namespace

Result<Node*> DefaultLocalInit(Graph& graph) {
  return ModelParts(graph, ModelParts::Several::kError).LocalInit(InitializeResources(graph));
}

Status Scaffold::Finalize(Graph& graph) {
  const ModelParts parts(graph, ModelParts::Several::kError);
  if (init.empty()) {
    WEIR_ASSIGN(init, parts.FindOrMakeNodes(graph_keys::kInitOp, [&]() -> Result<Node*> {
      Node* const variables = InitializeVariables(graph, GlobalVariables(graph));
      Node* const all = Group(graph, {variables, InitializeResources(graph)});
      WEIR_TRY(graph.TakeError());
      return all;
    }));
  }
  if (ready.node == nullptr) {
    WEIR_ASSIGN(ready,
                parts.FindOrMake(graph_keys::kReadyOp, [&] { return ReportMissing(graph, parts.AllVariables()); }));
  }
  if (ready_for_local_init.node == nullptr) {
    WEIR_ASSIGN(ready_for_local_init, parts.FindOrMake(graph_keys::kReadyForLocalInitOp,
                                                       [&] { return ReportMissing(graph, GlobalVariables(graph)); }));
  }
  if (local_init.empty()) {
    WEIR_ASSIGN(local_init, parts.FindOrMakeNodes(graph_keys::kLocalInitOp, [&] { return DefaultLocalInit(graph); }));
  }
  if (!summary) {
    WEIR_ASSIGN(summary, parts.Summary());
  }
  if (saver == nullptr) {
    WEIR_ASSIGN(saver, parts.FindOrMakeSaver([&] {
      SaverOptions options;
      options.graph.sharded = true;
      options.allow_empty = true;
      options.env = env;
      return Saver::Make(graph, std::move(options));
    }));
  }
  WEIR_TRY(saver->Build(graph));
  graph.Finalize();
  return OkStatus();
}

SessionManagerOptions Scaffold::session_manager_options(double recovery_wait_secs, Clock* clock) const {
  return {.local_init = local_init,
          .ready = ready,
          .ready_for_local_init = ready_for_local_init,
          .recovery_wait_secs = recovery_wait_secs,
          .local_init_feeds = local_init_feeds,
          .env = env,
          .clock = clock};
}

PrepareOptions Scaffold::prepare_options(RestoreOptions restore) const {
  restore.saver = saver;
  return {.restore = std::move(restore), .init = init, .init_feeds = init_feeds, .init_fn = init_fn};
}

}  // namespace weir

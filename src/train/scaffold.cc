#include "train/scaffold.h"

#include "graph/build/array_ops.h"
#include "graph/build/flow_ops.h"
#include "graph/compose/lookup.h"
#include "graph/compose/summary.h"
#include "graph/compose/variable.h"
#include "graph/graph_keys.h"
#include "graph/node_builder.h"

namespace weir {
namespace {

// The one item of a collection; nothing where it is empty.
Result<std::optional<std::any>> OnlyItem(Graph& graph, const char* collection) {
  std::vector<std::any> items = graph.Collection(collection);
  if (items.size() > 1)
    return FailedPrecondition(
        "More than one item in the collection \"{}\". Please indicate which one to use by passing it to the "
        "tf.Scaffold constructor as: tf.Scaffold({}=item to use)",
        collection, collection);
  if (items.empty()) return std::nullopt;
  return std::move(items[0]);
}

Result<ReadyOp> ReadyOpFrom(const std::any& item, const char* collection) {
  if (const auto* output = std::any_cast<Output>(&item)) return ReadyOp(*output);
  if (auto* const* node = std::any_cast<Node*>(&item)) return ReadyOp(*node);
  return InvalidArgument("the item of collection '{}' is no node", collection);
}

// Sets `ready` to the collection's item, or to what `make` gives, which the collection has from then on.
template <class Make>
Status Complete(Graph& graph, const char* collection, const Make& make, ReadyOp* ready) {
  if (ready->node != nullptr) return OkStatus();
  WEIR_ASSIGN(const std::optional<std::any> item, OnlyItem(graph, collection));
  if (item) {
    WEIR_ASSIGN(*ready, ReadyOpFrom(*item, collection));
    return OkStatus();
  }
  WEIR_ASSIGN(const Output made, make());
  *ready = made;
  graph.AddToCollection(collection, made);
  return OkStatus();
}

template <class Make>
Status Complete(Graph& graph, const char* collection, const Make& make, std::vector<Node*>* nodes) {
  if (!nodes->empty()) return OkStatus();
  WEIR_ASSIGN(const std::optional<std::any> item, OnlyItem(graph, collection));
  if (item) {
    WEIR_ASSIGN(const ReadyOp found, ReadyOpFrom(*item, collection));
    *nodes = {found.node};
    return OkStatus();
  }
  WEIR_ASSIGN(Node * made, make());
  *nodes = {made};
  graph.AddToCollection(collection, made);
  return OkStatus();
}

Node* InitializeResources(Graph& graph) { return NoOp(graph, {.name = "init"}); }

// Variables and, though there are none of other kinds, resources, as TensorFlow names them.
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

std::vector<VariablePtr> AllVariables(Graph& graph) {
  std::vector<VariablePtr> all = GlobalVariables(graph);
  for (VariablePtr& v : LocalVariables(graph)) all.push_back(std::move(v));
  return all;
}

Status CompleteSummary(Graph& graph, std::optional<Output>* summary) {
  if (*summary) return OkStatus();
  WEIR_ASSIGN(const std::optional<std::any> item, OnlyItem(graph, graph_keys::kSummaryOp));
  if (item) {
    if (const auto* output = std::any_cast<Output>(&*item)) *summary = *output;
    return OkStatus();
  }
  const std::optional<Output> merged = MergeAllSummaries(graph);
  WEIR_TRY(graph.TakeError());
  *summary = merged;
  if (merged) graph.AddToCollection(graph_keys::kSummaryOp, *merged);
  return OkStatus();
}

Status CompleteSaver(Graph& graph, std::shared_ptr<Saver>* saver) {
  if (*saver == nullptr) {
    WEIR_ASSIGN(const std::optional<std::any> item, OnlyItem(graph, graph_keys::kSavers));
    if (item) {
      const auto* found = std::any_cast<std::shared_ptr<Saver>>(&*item);
      if (found == nullptr) return InvalidArgument("the item of collection '{}' is no saver", graph_keys::kSavers);
      *saver = *found;
    } else {
      SaverOptions options;
      options.graph.sharded = true;
      options.allow_empty = true;
      WEIR_ASSIGN(*saver, Saver::Make(graph, std::move(options)));
      graph.AddToCollection(graph_keys::kSavers, *saver);
    }
  }
  return (*saver)->Build(graph);
}

}  // namespace

Result<Node*> DefaultLocalInit(Graph& graph) {
  Node* const variables = InitializeVariables(graph, LocalVariables(graph));
  WEIR_ASSIGN(Node * tables, InitializeTables(graph));
  Node* const all = Group(graph, {variables, tables, InitializeResources(graph)});
  WEIR_TRY(graph.TakeError());
  return all;
}

Status Scaffold::Finalize(Graph& graph) {
  WEIR_TRY(Complete(
      graph, graph_keys::kInitOp,
      [&]() -> Result<Node*> {
        Node* const variables = InitializeVariables(graph, GlobalVariables(graph));
        Node* const all = Group(graph, {variables, InitializeResources(graph)});
        WEIR_TRY(graph.TakeError());
        return all;
      },
      &init));
  WEIR_TRY(Complete(
      graph, graph_keys::kReadyOp, [&] { return ReportMissing(graph, AllVariables(graph)); }, &ready));
  WEIR_TRY(Complete(
      graph, graph_keys::kReadyForLocalInitOp, [&] { return ReportMissing(graph, GlobalVariables(graph)); },
      &ready_for_local_init));
  WEIR_TRY(Complete(
      graph, graph_keys::kLocalInitOp, [&] { return DefaultLocalInit(graph); }, &local_init));
  WEIR_TRY(CompleteSummary(graph, &summary));
  WEIR_TRY(CompleteSaver(graph, &saver));
  graph.Finalize();
  return OkStatus();
}

SessionManagerOptions Scaffold::session_manager_options(double recovery_wait_secs, Clock* clock) const {
  return {.local_init = local_init,
          .ready = ready,
          .ready_for_local_init = ready_for_local_init,
          .recovery_wait_secs = recovery_wait_secs,
          .local_init_feeds = local_init_feeds,
          .clock = clock};
}

PrepareOptions Scaffold::prepare_options(RestoreOptions restore) const {
  restore.saver = saver;
  return {.restore = std::move(restore), .init = init, .init_feeds = init_feeds, .init_fn = init_fn};
}

}  // namespace weir

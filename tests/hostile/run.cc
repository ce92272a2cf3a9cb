#include "tests/hostile/run.h"

#include <new>

#include "graph/gradients.h"
#include "graph/graph_def.h"
#include "runtime/constant_evaluator.h"

namespace weir::hostile {
namespace {

// Timeout of a step, for steps that block (on an empty queue).
constexpr int64_t kStepMillis = 20;
constexpr int kMostDifferentiated = 1000;  // outputs

bool CanFetch(DType type) { return BaseType(type) != kResource && BaseType(type) != kVariant; }

std::string Line(const char* what, const Status& status) {
  return fmt::format("{}: {}\n", what, status.ok() ? "ok" : status.ToString());
}

}  // namespace

CaseRunner::CaseRunner(const OpRegistry& registry)
    : registry_(registry), evaluator_(MakeLocalConstantEvaluator(RealEnv())) {
  options_.set_timeout_in_ms(kStepMillis);
}

CaseRunner::Outcome CaseRunner::Run(const HostileCase& hostile) {
  auto graph = std::make_shared<Graph>(registry_);
  graph->set_constant_evaluator(evaluator_);
  try {
    Result<ImportResult> imported = ImportGraphDef(*graph, hostile.graph);
    if (!imported.ok()) return {false, Line("import", imported.status())};
    LocalSession session(graph, {.pool = pool_, .blocking_pool = blocking_pool_, .env = RealEnv()});
    return {true, RunImported(*graph, session, hostile)};
  } catch (const std::bad_alloc&) {
    return {true, "out of memory\n"};
  }
}

Status CaseRunner::Step(LocalSession& session, RunRequest request) {
  request.options = &options_;
  return session.Run(request).status();
}

std::string CaseRunner::RunImported(Graph& graph, LocalSession& session, const HostileCase& hostile) {
  std::vector<Feed> feeds;
  for (const auto& [name, value] : hostile.feeds) feeds.push_back({Output(graph.FindNode(name), 0), value});
  std::string text;
  for (const std::string& name : hostile.initializers) {
    text += Line("initializer", Step(session, {.feeds = feeds, .targets = {graph.FindNode(name)}}));
  }
  Node* const node = graph.FindNode(hostile.node);
  RunRequest request{.feeds = feeds, .targets = {node}};
  for (int i = 0; i < node->num_outputs(); ++i) {
    if (CanFetch(node->output_type(i))) request.fetches.push_back(Output(node, i));
  }
  const Status first = Step(session, request);
  text += Line("run", first);
  if (first.ok()) text += Line("second run", Step(session, request));
  if (hostile.differentiate) text += RunGradients(graph, session, *node, feeds);
  return text;
}

std::string CaseRunner::RunGradients(Graph& graph, LocalSession& session, Node& node, const std::vector<Feed>& feeds) {
  std::vector<Output> ys;
  // Every output adds nodes. A million outputs would exceed the deadline of the case.
  if (node.num_outputs() > kMostDifferentiated) return "";
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (const DType type = BaseType(node.output_type(i)); IsFloating(type) || IsComplex(type)) ys.push_back({&node, i});
  }
  const std::vector<Output>& xs = node.inputs();
  if (ys.empty() || xs.empty()) return "";
  Result<std::vector<Grad>> grads = AddGradients(graph, ys, xs);
  const Status unchecked = graph.TakeError();
  if (!grads.ok()) return Line("gradients", grads.status());
  if (!unchecked.ok()) return Line("gradients", unchecked);
  RunRequest request{.feeds = feeds};
  for (const Grad& grad : *grads) {
    const auto* dense = std::get_if<Output>(&grad);
    const auto* rows = std::get_if<IndexedSlices>(&grad);
    if (rows != nullptr) request.fetches.push_back(rows->values);
    if (dense != nullptr && dense->valid() && CanFetch(dense->dtype())) request.fetches.push_back(*dense);
  }
  return request.fetches.empty() ? "" : Line("run of gradients", Step(session, request));
}

}  // namespace weir::hostile

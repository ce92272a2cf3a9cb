#include "cluster/registered_graph.h"

#include <algorithm>

#include "graph/graph_def.h"
#include "op/rendezvous_key.h"
#include "runtime/partition.h"
#include "runtime/plan_with_resources.h"

namespace weir {
namespace {

bool IsTransfer(const Node& node) { return node.op().traits.kind == NodeKind::kTransfer; }

bool IsEndAtClient(const Node& node) {
  if (!IsTransfer(node)) return false;
  Result<bool> client = node.Attr<bool>("client_terminated");
  return client.ok() && *client;
}

Result<std::string> KeyTextOf(const Node& node) {
  RendezvousKey key;
  WEIR_ASSIGN(key.from, node.Attr<std::string>("send_device"));
  WEIR_ASSIGN(key.to, node.Attr<std::string>("recv_device"));
  WEIR_ASSIGN(key.edge, node.Attr<std::string>("tensor_name"));
  WEIR_ASSIGN(const int64_t incarnation, node.Attr<int64_t>("send_device_incarnation"));
  key.incarnation = static_cast<uint64_t>(incarnation);
  return key.ToString();
}

}  // namespace

bool IsRepeatable(const OpDef& op) {
  if (op.traits.kind == NodeKind::kTransfer) return false;
  if (op.is_function || op.TakesFunctions()) return false;  // whatever the function contains
  switch (op.traits.state) {
    case StateRole::kVariable:
    case StateRole::kVariableHandle:
    case StateRole::kHandle:
    case StateRole::kReads:
      return true;
    case StateRole::kUpdates:
      return false;
    case StateRole::kNone:
      break;
  }
  if (op.stateful) return false;
  if (IsAlias(op.traits)) return true;
  // An op without a role may write to its references.
  return std::none_of(op.inputs.begin(), op.inputs.end(), [](const ArgDef& input) { return input.is_ref; });
}

Result<std::shared_ptr<RegisteredGraph>> RegisteredGraph::Make(const tensorflow::RegisterGraphRequest& request,
                                                               Dependencies dependencies, const CancelToken* cancel) {
  std::shared_ptr<RegisteredGraph> made(new RegisteredGraph(std::move(dependencies)));
  WEIR_TRY(made->Compile(request, cancel));
  return made;
}

Status RegisteredGraph::Compile(const tensorflow::RegisterGraphRequest& request, const CancelToken* cancel) {
  graph_ = std::make_shared<Graph>(dependencies_.registry);
  ImportOptions import;
  import.validate_colocation = false;  // a group may name a node of another task
  import.cancel = cancel;
  WEIR_TRY(ImportGraphDef(*graph_, request.graph_def(), import).status());
  passes_ = LocalPassOptionsOf(request.graph_options());
  if (!dependencies_.devices->empty()) passes_.part_of = TaskOfDevice(dependencies_.devices->front()->name());
  PassOptions function_passes = passes_;
  function_passes.order_updates = true;  // the master saw the call, not the body
  auto kernel_state = std::make_shared<GraphKernelState>();
  kernel_state->session_handle = dependencies_.session_handle;
  kernel_state->functions = std::make_unique<LocalFunctionRunner>(
      graph_, dependencies_.devices, dependencies_.resources,
      LocalFunctionRunner::Options{
          .env = dependencies_.env, .placer = {.allow_soft_placement = true}, .passes = function_passes});
  kernels_ = std::make_unique<KernelCache>(dependencies_.env, dependencies_.resources.get(),
                                           kernel_state->functions.get(), dependencies_.stateful);
  kernel_state_ = std::move(kernel_state);
  signature_.receives_dead = request.has_control_flow();
  for (Node* node : graph_->Nodes()) {
    if (!IsEndAtClient(*node)) {
      repeatable_ = repeatable_ && IsRepeatable(node->op());
      const bool receives = IsTransfer(*node) && node->num_outputs() > 0;
      if (receives && node->FindAttr(kNeverDeadAttr) == nullptr) signature_.receives_dead = true;
      if (node->consumers().empty() && node->control_outputs().empty()) signature_.targets.push_back(node);
      continue;
    }
    WEIR_ASSIGN(std::string key, KeyTextOf(*node));
    if (node->num_outputs() > 0) {
      feeds_.emplace(std::move(key), static_cast<int>(signature_.feeds.size()));
      signature_.feeds.push_back(node->output(0));
    } else {
      fetches_.emplace(std::move(key), static_cast<int>(signature_.fetches.size()));
      signature_.fetches.push_back(node->input(0));
    }
  }
  WEIR_ASSIGN(executor_, MakeExecutor(/*late_feeds=*/false));
  return OkStatus();
}

Result<std::shared_ptr<Executor>> RegisteredGraph::MakeExecutor(bool late_feeds) {
  PlanSignature signature = signature_;
  signature.late_feeds = late_feeds;
  WEIR_ASSIGN(
      std::shared_ptr<const Plan> plan,
      CompilePlan(*graph_, signature, PlanEnvironment{*dependencies_.devices, *kernels_, PlacerOptions{}, passes_}));
  return std::make_shared<Executor>(PlanWithResources(std::move(plan), dependencies_.resources));
}

Result<std::shared_ptr<Executor>> RegisteredGraph::PartialExecutor() {
  std::lock_guard lock(partial_mu_);
  if (partial_executor_ == nullptr) {
    WEIR_ASSIGN(partial_executor_, MakeExecutor(/*late_feeds=*/true));
  }
  return partial_executor_;
}

}  // namespace weir

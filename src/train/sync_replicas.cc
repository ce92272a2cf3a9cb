#include "train/sync_replicas.h"

#include <algorithm>

#include "graph/build/array_ops.h"
#include "graph/graph_keys.h"
#include "graph/node_builder.h"
#include "train/replica_watch.h"

namespace weir {
namespace {

Node* MakeNoOp(Graph& graph, const std::string& name = "") { return NodeBuilder(graph, "NoOp", name).BuildNode(); }

// The current step. A resource is read again, ordered by the control dependencies.
Output ValueOf(const Variable& step) { return step.is_resource() ? step.AsInput() : step.value(); }

}  // namespace

SyncReplicasOptimizer::SyncReplicasOptimizer(std::shared_ptr<Optimizer> optimizer, SyncReplicasOptions options)
    : Optimizer(options.name, options.use_locking),
      optimizer_(std::move(optimizer)),
      options_(std::move(options)),
      total_(options_.total_num_replicas.value_or(options_.replicas_to_aggregate)),
      tokens_per_step_(std::max(total_, options_.replicas_to_aggregate)) {}

Status SyncReplicasOptimizer::Check() const {
  if (optimizer_ == nullptr) return InvalidArgument("{}: there is no optimizer to apply gradients with", name());
  if (options_.replicas_to_aggregate < 1)
    return InvalidArgument("{}: replicas_to_aggregate must be positive, but is {}", name(),
                           options_.replicas_to_aggregate);
  return optimizer_->Check();
}

Result<std::vector<GradAndVar>> SyncReplicasOptimizer::ComputeGradients(Output loss, const MinimizeOptions& options) {
  WEIR_TRY(Check());
  return optimizer_->ComputeGradients(loss, options);
}

VariablePtr SyncReplicasOptimizer::GetSlot(const VariablePtr& var, const std::string& slot_name) const {
  return optimizer_ == nullptr ? nullptr : optimizer_->GetSlot(var, slot_name);
}
std::vector<std::string> SyncReplicasOptimizer::SlotNames() const {
  return optimizer_ == nullptr ? std::vector<std::string>() : optimizer_->SlotNames();
}
std::vector<VariablePtr> SyncReplicasOptimizer::Variables() const {
  return optimizer_ == nullptr ? std::vector<VariablePtr>() : optimizer_->Variables();
}
Result<Node*> SyncReplicasOptimizer::ApplyDense(Output grad, const VariablePtr& var) {
  return optimizer_->ApplyDense(grad, var);
}

Status SyncReplicasOptimizer::MakeLocalStep(Graph& graph) {
  // A node on the replica's default device. The local step is colocated with it, even if variables are placed
  // elsewhere.
  Node* anchor = MakeNoOp(graph);
  if (anchor == nullptr) return graph.TakeError();
  {
    ColocationScope with_anchor(graph, anchor);
    VariableOptions options;
    options.name = "sync_rep_local_step";
    options.dtype = global_step_->dtype();
    options.trainable = false;
    options.collections = {graph_keys::kLocalVariables};
    WEIR_ASSIGN(local_step_, Variable::Make(graph, 0, options));
  }
  local_step_init_ = local_step_->Assign(ValueOf(*global_step_), /*use_locking=*/true).node;
  ready_for_local_init_ = ReportUninitialized(graph, GlobalVariables(graph));
  return graph.TakeError();
}

SyncReplicasOptimizer::Aggregated SyncReplicasOptimizer::Aggregate(Graph& graph,
                                                                   const std::vector<GradAndVar>& grads_and_vars) {
  Aggregated result;
  const Input needed = static_cast<int32_t>(options_.replicas_to_aggregate);
  for (const GradAndVar& item : grads_and_vars) {
    DeviceScope beside(graph, item.var->device());
    AccumulatorOptions options;
    options.shared_name = item.var->name() + "/grad_accum";
    if (!HasGrad(item.grad)) {
      result.gradients.push_back(item);
    } else if (const Output* grad = std::get_if<Output>(&item.grad)) {
      options.shape = item.var->shape();
      const auto sum = DenseAccumulator::Make(graph, grad->base_dtype(), options);
      result.given.push_back(sum.ApplyGrad(*grad, local_step_->value()));
      result.gradients.push_back({sum.TakeGrad(needed), item.var});
      accumulators_.push_back({sum, item.var->device()});
    } else {
      const IndexedSlices& rows = std::get<IndexedSlices>(item.grad);
      options.shape = PartialShape::Scalar();
      const auto sum = SparseAccumulator::Make(graph, rows.values.base_dtype(), options);
      const Input shape = rows.dense_shape.valid() ? Input(rows.dense_shape) : Input();
      result.given.push_back(sum.ApplyGrad(rows.indices, rows.values, shape, local_step_->value()));
      result.gradients.push_back({sum.TakeGrad(needed), item.var});
      accumulators_.push_back({sum, item.var->device()});
    }
  }
  return result;
}

Output SyncReplicasOptimizer::MakeTokens(Graph& graph, int64_t count) const {
  return Fill(graph, Tensor::Vector<int32_t>({static_cast<int32_t>(count)}), ValueOf(*global_step_));
}

QueueRunner::Companion SyncReplicasOptimizer::Watch(Graph& graph) {
  ReplicaWatch watch;
  watch.name = name();
  watch.needed = options_.replicas_to_aggregate;
  watch.limit_secs = options_.replica_wait_secs;
  watch.step = global_step_->value();
  NameScope root(graph, "");
  NameScope own(graph, "watch_replicas");  // a separate scope, so that the names of other nodes equal TensorFlow's
  for (const Sum& sum : accumulators_) {
    DeviceScope beside(graph, sum.device);
    watch.given.push_back(
        std::visit([](const auto& of) { return of.NumAccumulated("num_accumulated"); }, sum.accumulator));
  }
  DeviceScope beside_step(graph, global_step_->device());
  watch.waiting = all_wait_ = tokens_.SizeUnlessAllWait("everyone_waits");
  watch.again = tokens_.EnqueueMany({MakeTokens(graph, tokens_per_step_)});
  return [watch = std::move(watch)](Session& session, const Coordinator& coordinator, CancelToken& stopped) {
    return watch.Run(session, coordinator, stopped);
  };
}

Result<Node*> SyncReplicasOptimizer::MakeTokenQueue(Graph& graph, const Aggregated& aggregated) {
  DeviceScope beside_step(graph, global_step_->device());
  NameScope root(graph, "");
  WEIR_ASSIGN(Node * update, optimizer_->ApplyGradients(aggregated.gradients, global_step_));
  tokens_ = Queue::Fifo(graph, -1, {global_step_->dtype()},
                        {.shapes = {PartialShape::Scalar()},
                         .shared_name = "sync_token_q",
                         .name = "sync_token_q",
                         .tokens_needed = options_.replicas_to_aggregate,
                         .members_expected = total_});
  Output token;
  {
    ControlDependencies after(graph, aggregated.given);
    const OutputList taken = tokens_.Dequeue();
    WEIR_TRY(graph.TakeError());
    token = taken[0];
  }
  Node* const train = local_step_->Assign(token, /*use_locking=*/true).node;
  Node* round = nullptr;
  {
    ControlDependencies after(graph, {update});
    round = tokens_.EnqueueMany({MakeTokens(graph, tokens_per_step_)});
  }
  WEIR_TRY(graph.TakeError());
  if (options_.variable_averages != nullptr) {
    ControlDependencies after(graph, {round});
    WEIR_ASSIGN(round, options_.variable_averages->Apply(graph, options_.variables_to_average));
  }
  QueueRunnerParts parts;
  parts.queue_name = tokens_.name();
  parts.enqueue = {round};
  parts.close = tokens_.Close();
  parts.cancel = tokens_.Close(/*cancel_pending_enqueues=*/true);
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(chief_runner_, QueueRunner::Make(std::move(parts)));
  return train;
}

Status SyncReplicasOptimizer::MakeChiefInit(Graph& graph) {
  std::vector<Node*> inits = {local_step_init_};
  for (const Sum& sum : accumulators_) {
    DeviceScope beside(graph, sum.device);
    inits.push_back(std::visit([&](const auto& a) { return a.SetGlobalStep(ValueOf(*global_step_), "SetGlobalStep"); },
                               sum.accumulator));
  }
  WEIR_TRY(graph.TakeError());
  chief_init_ = Group(graph, inits);
  return graph.TakeError();
}

Result<Node*> SyncReplicasOptimizer::ApplyGradients(const std::vector<GradAndVar>& grads_and_vars,
                                                    VariablePtr global_step, std::string) {
  if (grads_and_vars.empty()) return InvalidArgument("Must supply at least one variable");
  if (global_step == nullptr) return InvalidArgument("Global step is required to check staleness");
  WEIR_TRY(Check());
  if (gradients_applied()) return FailedPrecondition("{}: apply_gradients() was already called", name());
  global_step_ = std::move(global_step);
  Graph& graph = global_step_->graph();
  WEIR_TRY(MakeLocalStep(graph));

  NameScope scope(graph, name());
  const Aggregated aggregated = Aggregate(graph, grads_and_vars);
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(Node * train, MakeTokenQueue(graph, aggregated));
  WEIR_TRY(MakeChiefInit(graph));
  if (!accumulators_.empty()) chief_runner_->AddCompanion("watch", Watch(graph));
  WEIR_TRY(graph.TakeError());
  return train;
}

Status SyncReplicasOptimizer::WatchChief(Session& session, const Coordinator& coordinator) const {
  if (!all_wait_.valid()) return OkStatus();
  ChiefWatch watch;
  watch.name = name();
  watch.step = global_step_->value();
  watch.waiting = all_wait_;
  watch.limit_secs = options_.chief_wait_secs;
  return watch.Run(session, coordinator);
}

Result<QueueRunnerPtr> SyncReplicasOptimizer::GetChiefQueueRunner() const {
  if (!gradients_applied()) return InvalidArgument("Should be called after apply_gradients().");
  return chief_runner_;
}

Result<Node*> SyncReplicasOptimizer::GetInitTokensOp(int64_t num_tokens) {
  if (!gradients_applied()) return InvalidArgument("get_init_tokens_op() should be called after apply_gradients().");
  const int64_t needed = options_.replicas_to_aggregate - total_;
  if (num_tokens == -1) num_tokens = options_.replicas_to_aggregate;
  if (num_tokens < needed)
    return InvalidArgument("Too few tokens to finish the first step: {} (given) vs {} (needed)", num_tokens, needed);
  Graph& graph = global_step_->graph();
  Node* node = nullptr;
  if (num_tokens > 0) {
    DeviceScope beside_step(graph, global_step_->device());
    NameScope root(graph, "");
    node = tokens_.EnqueueFirst({MakeTokens(graph, num_tokens)});  // a chief that comes back adds none
  } else {
    node = MakeNoOp(graph, "no_init_tokens");
  }
  WEIR_TRY(graph.TakeError());
  return node;
}

}  // namespace weir

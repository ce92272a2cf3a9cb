// SyncReplicasOptimizer: synchronous replicas. Each replica adds its gradients to accumulators beside the variables and
// waits for a token. The chief's queue runner applies the mean of `replicas_to_aggregate` gradients with the wrapped
// optimizer and enqueues tokens with the new step; gradients of older steps are dropped. ops/queue/token_scheduler.h
// assigns tokens to replicas. The graph is TensorFlow's. Not thread-safe; use one optimizer per graph.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "weir/graph/compose/accumulator.h"
#include "weir/graph/compose/queue.h"
#include "weir/train/moving_averages.h"
#include "weir/train/optimizer.h"
#include "weir/train/queue_runner.h"

namespace weir {

struct SyncReplicasOptions {
  int64_t replicas_to_aggregate = 1;                                      // gradients per step
  std::optional<int64_t> total_num_replicas = {};                         // default: replicas_to_aggregate
  std::shared_ptr<ExponentialMovingAverage> variable_averages = nullptr;  // updated after each step
  std::vector<VariablePtr> variables_to_average = {};
  bool use_locking = false;
  std::string name = "sync_replicas";
  // Timeout for a step that has some of its gradients but lacks others, because too few replicas are left: the chief's
  // queue runner then fails with DeadlineExceeded. Infinity: no timeout.
  double replica_wait_secs = 60;
  // Timeout of the other replicas for a chief that applies no gradients while all of them wait for it.
  double chief_wait_secs = 600;
};

class SyncReplicasOptimizer final : public Optimizer {
 public:
  SyncReplicasOptimizer(std::shared_ptr<Optimizer> optimizer, SyncReplicasOptions options);

  Result<std::vector<GradAndVar>> ComputeGradients(Output loss, const MinimizeOptions& options = {}) override;
  // The node that a replica runs: applies its gradients and waits until the step is complete. global_step is required.
  Result<Node*> ApplyGradients(const std::vector<GradAndVar>& grads_and_vars, VariablePtr global_step = nullptr,
                               std::string name = "") override;

  // --- Forwarded to the wrapped optimizer ---
  VariablePtr GetSlot(const VariablePtr& var, const std::string& slot_name) const override;
  std::vector<std::string> SlotNames() const override;
  std::vector<VariablePtr> Variables() const override;
  Status Check() const override;
  Result<Node*> ApplyDense(Output grad, const VariablePtr& var) override;

  // --- After ApplyGradients; an error before it ---
  // The queue runner that the chief runs beside its training.
  Result<QueueRunnerPtr> GetChiefQueueRunner() const;
  // For replicas that are not the chief: blocks until the coordinator stops. Warns every ten seconds while all replicas
  // wait for the chief; DeadlineExceeded after chief_wait_secs.
  Status WatchChief(Session& session, const Coordinator& coordinator) const;
  const Queue& token_queue() const { return tokens_; }
  // Enqueues the initial tokens, unless the queue has had tokens before; -1 means replicas_to_aggregate.
  // InvalidArgument if they are too few to complete the first step.
  Result<Node*> GetInitTokensOp(int64_t num_tokens = -1);
  Node* chief_init_op() const { return chief_init_; }            // local init of the chief
  Node* local_step_init_op() const { return local_step_init_; }  // local init of the other replicas
  Output ready_for_local_init_op() const { return ready_for_local_init_; }
  bool gradients_applied() const { return chief_runner_ != nullptr; }

  int64_t replicas_to_aggregate() const { return options_.replicas_to_aggregate; }
  int64_t total_num_replicas() const { return total_; }
  int64_t tokens_per_step() const { return tokens_per_step_; }
  const std::shared_ptr<Optimizer>& optimizer() const { return optimizer_; }

 private:
  struct Aggregated {
    std::vector<GradAndVar> gradients;  // applied by the chief
    std::vector<Node*> given;           // run by a replica before it waits
  };
  Status MakeLocalStep(Graph& graph);
  Aggregated Aggregate(Graph& graph, const std::vector<GradAndVar>& grads_and_vars);
  // Returns the node for a replica; creates the token queue and the runner that fills it.
  Result<Node*> MakeTokenQueue(Graph& graph, const Aggregated& aggregated);
  Status MakeChiefInit(Graph& graph);
  // `count` tokens, which carry the global step.
  Output MakeTokens(Graph& graph, int64_t count) const;
  // The companion of the chief's queue runner, which watches for missing replicas.
  QueueRunner::Companion Watch(Graph& graph);

  const std::shared_ptr<Optimizer> optimizer_;
  const SyncReplicasOptions options_;
  const int64_t total_;
  const int64_t tokens_per_step_;
  VariablePtr global_step_;
  VariablePtr local_step_;
  struct Sum {
    std::variant<DenseAccumulator, SparseAccumulator> accumulator;
    std::string device;
  };
  std::vector<Sum> accumulators_;
  Queue tokens_;
  QueueRunnerPtr chief_runner_;
  Output all_wait_;  // for watches: negative if all replicas wait
  Node* chief_init_ = nullptr;
  Node* local_step_init_ = nullptr;
  Output ready_for_local_init_;
};

}  // namespace weir

// SyncReplicasOptimizer: replicas that step together. Each adds its gradients to accumulators beside the variables and
// waits for a token; the chief's queue runner takes the mean of `replicas_to_aggregate` gradients, applies it with the
// wrapped optimizer, and enqueues tokens that carry the number of the next step. Gradients of an earlier step are
// dropped. ops/queue/turns.h decides who gets a token. The graph is TensorFlow's. Not thread-safe; one serves one
// graph.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "graph/compose/accumulator.h"
#include "graph/compose/queue.h"
#include "train/moving_averages.h"
#include "train/optimizer.h"
#include "train/queue_runner.h"

namespace weir {

struct SyncReplicasOptions {
  int64_t replicas_to_aggregate = 1;                                      // gradients per step
  std::optional<int64_t> total_num_replicas = {};                         // as many as are aggregated when not given
  std::shared_ptr<ExponentialMovingAverage> variable_averages = nullptr;  // updated after each step
  std::vector<VariablePtr> variables_to_average = {};
  bool use_locking = false;
  std::string name = "sync_replicas";
  // When a step has had some of its gradients, but lacks others for so long, too few replicas are there: the chief's
  // queue runner ends with DeadlineExceeded. Infinity: it waits.
  double replica_wait_secs = 60;
};

class SyncReplicasOptimizer final : public Optimizer {
 public:
  SyncReplicasOptimizer(std::shared_ptr<Optimizer> optimizer, SyncReplicasOptions options);

  Result<std::vector<GradAndVar>> ComputeGradients(Output loss, const MinimizeOptions& options = {}) override;
  // The node for a replica to run: gives its gradients, and ends when the step is over. Needs a global step.
  Result<Node*> ApplyGradients(const std::vector<GradAndVar>& grads_and_vars, VariablePtr global_step = nullptr,
                               std::string name = "") override;

  // --- of the optimizer inside ---
  VariablePtr GetSlot(const VariablePtr& var, const std::string& slot_name) const override;
  std::vector<std::string> SlotNames() const override;
  std::vector<VariablePtr> Variables() const override;
  Status Check() const override;
  Result<Node*> ApplyDense(Output grad, const VariablePtr& var) override;

  // --- once gradients are applied; before that an error ---
  // What the chief runs beside its training.
  Result<QueueRunnerPtr> GetChiefQueueRunner() const;
  const Queue& token_queue() const { return tokens_; }
  // Gives tokens to begin with: as many as are aggregated when -1. InvalidArgument for too few to end the first step.
  Result<Node*> GetInitTokensOp(int64_t num_tokens = -1);
  Node* chief_init_op() const { return chief_init_; }            // the chief's local init
  Node* local_step_init_op() const { return local_step_init_; }  // that of the others
  Output ready_for_local_init_op() const { return ready_for_local_init_; }
  bool gradients_applied() const { return chief_runner_ != nullptr; }

  int64_t replicas_to_aggregate() const { return options_.replicas_to_aggregate; }
  int64_t total_num_replicas() const { return total_; }
  int64_t tokens_per_step() const { return tokens_per_step_; }
  const std::shared_ptr<Optimizer>& optimizer() const { return optimizer_; }

 private:
  struct Aggregated {
    std::vector<GradAndVar> gradients;  // what the chief applies
    std::vector<Node*> given;           // what a replica does before it waits
  };
  Status MakeLocalStep(Graph& graph);
  Aggregated Aggregate(Graph& graph, const std::vector<GradAndVar>& grads_and_vars);
  // What a replica runs; the queue of tokens and what fills it.
  Result<Node*> MakeRound(Graph& graph, const Aggregated& aggregated);
  Status MakeChiefInit(Graph& graph);
  // Gives a round of tokens; they carry the global step.
  Node* GiveTokens(Graph& graph, int64_t count) const;
  // What the chief's queue runner does beside.
  QueueRunner::Companion Watch(Graph& graph) const;

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
  std::vector<Sum> sums_;
  Queue tokens_;
  QueueRunnerPtr chief_runner_;
  Node* chief_init_ = nullptr;
  Node* local_step_init_ = nullptr;
  Output ready_for_local_init_;
};

}  // namespace weir

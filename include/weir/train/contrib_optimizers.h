// The optimizers of tf.contrib.opt, with TensorFlow's names, defaults, slots and update rules.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "weir/train/gradient_edits.h"
#include "weir/train/optimizers.h"

namespace weir {

// AdaMax: Adam that scales by the decayed maximum of |gradient| instead of the mean square.
class AdaMaxOptimizer : public HyperOptimizer {
 public:
  explicit AdaMaxOptimizer(HyperParam learning_rate = 0.001, float beta1 = 0.9f, HyperParam beta2 = 0.999f,
                           HyperParam epsilon = 1e-8, const OptimizerOptions& options = {});
  Status CreateSlots(const std::vector<VariablePtr>& vars) override;
  Result<Node*> ApplyDense(Output grad, const VariablePtr& var) override;
  Result<Node*> ApplySparse(const IndexedSlices& grad, const VariablePtr& var) override;
  Result<Node*> Finish(Graph& graph, const std::vector<Node*>& updates, const std::string& name) override;

 private:
  const float beta1_;
};

// Variants of Adam that differ from it in one point.
enum class AdamKind {
  kLazy,      // the moments of rows without a gradient do not decay
  kNesterov,  // Nesterov momentum
  kAmsgrad,   // scales by the largest mean square so far (slot "vhat"), not by the current one
};
class AdamVariantOptimizer : public HyperOptimizer {
 public:
  explicit AdamVariantOptimizer(AdamKind kind, HyperParam learning_rate = 0.001, float beta1 = 0.9f,
                                float beta2 = 0.999f, HyperParam epsilon = 1e-8, const OptimizerOptions& options = {});
  Status CreateSlots(const std::vector<VariablePtr>& vars) override;
  Result<Node*> ApplyDense(Output grad, const VariablePtr& var) override;
  Result<Node*> ApplySparse(const IndexedSlices& grad, const VariablePtr& var) override;
  Result<Node*> Finish(Graph& graph, const std::vector<Node*>& updates, const std::string& name) override;

 private:
  Output Rate(const VariablePtr& var) const;
  // The update for new values of both moments.
  Result<Node*> Amsgrad(Output mean, Output square, const VariablePtr& var);
  const AdamKind kind_;
  const float beta1_;
  const float beta2_;
};

// AddSign and PowerSign: larger steps where the gradient and its running mean have the same sign.
//   kAdd: lr * (amount + sign_decay * sign(g) * sign(m)) * g
//   kPower: lr * exp(amount * sign_decay * sign(g) * sign(m)) * g
enum class SignKind { kAdd, kPower };
class SignOptimizer : public HyperOptimizer {
 public:
  SignOptimizer(SignKind kind, HyperParam learning_rate, HyperParam amount, HyperParam beta, HyperParam sign_decay,
                const OptimizerOptions& options = {});
  Status CreateSlots(const std::vector<VariablePtr>& vars) override;
  Result<Node*> ApplyDense(Output grad, const VariablePtr& var) override;
  Result<Node*> ApplySparse(const IndexedSlices& grad, const VariablePtr& var) override;

 private:
  Output Step(Output grad, Output mean, const VariablePtr& var) const;
  const SignKind kind_;
};

struct LarsSettings {
  float momentum = 0.9f;
  float weight_decay = 0.0001f;
  float eeta = 0.001f;
  float epsilon = 0;
  // Variables whose names contain one of these get no weight decay and no rate scaling.
  std::vector<std::string> skip_list = {};
  bool use_nesterov = false;
};
// Momentum with a rate per variable: proportional to the norm of the weights over that of the gradient.
class LarsOptimizer : public HyperOptimizer {
 public:
  LarsOptimizer(HyperParam learning_rate, LarsSettings settings, const OptimizerOptions& options = {});
  Status Check() const override;
  Status CreateSlots(const std::vector<VariablePtr>& vars) override;
  Result<Node*> ApplyDense(Output grad, const VariablePtr& var) override;
  Result<Node*> ApplySparse(const IndexedSlices& grad, const VariablePtr& var) override;

 private:
  Result<Node*> Momentum(Output rate, Output grad, const VariablePtr& var);
  const LarsSettings settings_;
};

// Adagrad whose accumulators may be left unchanged by some of the updates, for example those of a regularization.
class RegAdagradOptimizer : public HyperOptimizer {
 public:
  explicit RegAdagradOptimizer(HyperParam learning_rate, double initial_accumulator_value = 0.1,
                               const OptimizerOptions& options = {});
  Status Check() const override;
  Status CreateSlots(const std::vector<VariablePtr>& vars) override;
  Result<Node*> ApplyDense(Output grad, const VariablePtr& var) override;
  Result<Node*> ApplySparse(const IndexedSlices& grad, const VariablePtr& var) override;
  void set_update_slots(bool update) { update_slots_ = update; }  // for updates built from now on
  bool update_slots() const { return update_slots_; }

 private:
  const double initial_;
  bool update_slots_ = true;
};

// Skips the update of a variable, and of its slots, in steps in which its gradient is zero: for
// programs that alternate between several losses. Slots are those of the wrapped optimizer.
class MultitaskOptimizer final : public Optimizer {
 public:
  explicit MultitaskOptimizer(std::shared_ptr<Optimizer> optimizer)
      : Optimizer(optimizer->name(), optimizer->use_locking()), optimizer_(std::move(optimizer)) {}
  VariablePtr GetSlot(const VariablePtr& var, const std::string& slot_name) const override {
    return optimizer_->GetSlot(var, slot_name);
  }
  std::vector<std::string> SlotNames() const override { return optimizer_->SlotNames(); }
  std::vector<VariablePtr> Variables() const override { return optimizer_->Variables(); }
  Status Check() const override { return optimizer_->Check(); }
  Status CreateSlots(const std::vector<VariablePtr>& vars) override { return optimizer_->CreateSlots(vars); }
  Status Prepare(Graph& graph) override { return optimizer_->Prepare(graph); }
  Result<Node*> ApplyDense(Output grad, const VariablePtr& var) override;
  Result<Node*> ApplySparseDuplicates(const IndexedSlices& grad, const VariablePtr& var) override;
  Result<Node*> Finish(Graph& graph, const std::vector<Node*>& updates, const std::string& name) override {
    return optimizer_->Finish(graph, updates, name);
  }
  const std::shared_ptr<Optimizer>& optimizer() const { return optimizer_; }

 private:
  const std::shared_ptr<Optimizer> optimizer_;
};
// Like ClipGradientsTogether, for programs that alternate between several losses.
struct ClippedGradients {
  GradientList list;
  Output global_norm;
};
Result<ClippedGradients> ClipGradientsByGlobalNorm(const GradientList& list, const Input& clip_norm = 20.0f);

// Decoupled weight decay: nodes that subtract weight_decay * variable, after the gradients are computed and before
// ApplyGradients, which must depend on them. Of a sparse gradient only its rows decay. `only`: op names of the
// variables that decay; empty: all that have a gradient.
Result<std::vector<Node*>> DecayWeights(const GradientList& list, const Input& weight_decay,
                                        const std::vector<std::string>& only = {}, bool use_locking = false);

// Nodes that clip variables (all rows, or those of a sparse gradient) to an L2 norm of at most max_norm along
// `clip_axes`.
Result<Node*> ClipVariable(const GradAndVar& item, const std::vector<int64_t>& clip_axes, const Input& max_norm,
                           bool use_locking = false);

}  // namespace weir

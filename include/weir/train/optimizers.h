// The optimizers, with TensorFlow's names, defaults, slots and update rules. Programs derive from them to change some
// of their steps, so they are not final.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weir/train/optimizer.h"

namespace weir {

struct OptimizerOptions {
  bool use_locking = false;
  std::string name = "";  // default: the class's own
};

// Base of optimizers with one update node per variable. Converts hyperparameters to tensors once per ApplyGradients.
class HyperOptimizer : public Optimizer {
 public:
  Status Prepare(Graph& graph) override;

  // --- For derived classes that change a hyperparameter ---
  std::vector<std::string> HyperNames() const;
  // Takes effect in the next Prepare. REQUIRES: the name is one of HyperNames, here and below.
  void SetHyper(std::string_view name, HyperParam value) { EntryOf(name).value = std::move(value); }
  // What the updates of a graph use: set by Prepare; invalid before it.
  Output HyperTensor(std::string_view name) const { return EntryOf(name).output; }
  void SetHyperTensor(std::string_view name, Output tensor) { EntryOf(name).output = tensor; }

 protected:
  HyperOptimizer(const std::string& default_name, const OptimizerOptions& options)
      : Optimizer(options.name.empty() ? default_name : options.name, options.use_locking) {}
  void Declare(std::string name, HyperParam value) { hypers_.push_back({std::move(name), std::move(value), Output()}); }
  // The hyperparameter as a tensor of the variable's type.
  Output Get(std::string_view name, const VariablePtr& var) const;

 private:
  struct Entry {
    std::string name;
    HyperParam value;
    Output output;
  };
  const Entry& EntryOf(std::string_view name) const;
  Entry& EntryOf(std::string_view name) { return const_cast<Entry&>(std::as_const(*this).EntryOf(name)); }
  std::vector<Entry> hypers_;
};

class GradientDescentOptimizer : public HyperOptimizer {
 public:
  explicit GradientDescentOptimizer(HyperParam learning_rate, const OptimizerOptions& options = {});
  Result<Node*> ApplyDense(Output grad, const VariablePtr& var) override;
  Result<Node*> ApplySparseDuplicates(const IndexedSlices& grad, const VariablePtr& var) override;
};

class MomentumOptimizer : public HyperOptimizer {
 public:
  MomentumOptimizer(HyperParam learning_rate, HyperParam momentum, bool use_nesterov = false,
                    const OptimizerOptions& options = {});
  Status CreateSlots(const std::vector<VariablePtr>& vars) override;
  Result<Node*> ApplyDense(Output grad, const VariablePtr& var) override;
  Result<Node*> ApplySparse(const IndexedSlices& grad, const VariablePtr& var) override;

 private:
  const bool use_nesterov_;
};

class AdagradOptimizer : public HyperOptimizer {
 public:
  explicit AdagradOptimizer(HyperParam learning_rate, double initial_accumulator_value = 0.1,
                            const OptimizerOptions& options = {});
  Status Check() const override;
  Status CreateSlots(const std::vector<VariablePtr>& vars) override;
  Result<Node*> ApplyDense(Output grad, const VariablePtr& var) override;
  Result<Node*> ApplySparse(const IndexedSlices& grad, const VariablePtr& var) override;

 private:
  const double initial_;
};

class AdagradDAOptimizer : public HyperOptimizer {
 public:
  AdagradDAOptimizer(HyperParam learning_rate, VariablePtr global_step,
                     double initial_gradient_squared_accumulator_value = 0.1, float l1_regularization_strength = 0,
                     float l2_regularization_strength = 0, const OptimizerOptions& options = {});
  Status Check() const override;
  Status CreateSlots(const std::vector<VariablePtr>& vars) override;
  Result<Node*> ApplyDense(Output grad, const VariablePtr& var) override;
  Result<Node*> ApplySparse(const IndexedSlices& grad, const VariablePtr& var) override;

 private:
  Output Step() const;
  const VariablePtr global_step_;
  const double initial_;
};

class AdadeltaOptimizer : public HyperOptimizer {
 public:
  explicit AdadeltaOptimizer(HyperParam learning_rate = 0.001, HyperParam rho = 0.95, HyperParam epsilon = 1e-8,
                             const OptimizerOptions& options = {});
  Status CreateSlots(const std::vector<VariablePtr>& vars) override;
  Result<Node*> ApplyDense(Output grad, const VariablePtr& var) override;
  Result<Node*> ApplySparse(const IndexedSlices& grad, const VariablePtr& var) override;
};

class AdamOptimizer : public HyperOptimizer {
 public:
  explicit AdamOptimizer(HyperParam learning_rate = 0.001, float beta1 = 0.9f, float beta2 = 0.999f,
                         HyperParam epsilon = 1e-8, const OptimizerOptions& options = {});
  Status CreateSlots(const std::vector<VariablePtr>& vars) override;
  Result<Node*> ApplyDense(Output grad, const VariablePtr& var) override;
  Result<Node*> ApplySparse(const IndexedSlices& grad, const VariablePtr& var) override;
  Result<Node*> Finish(Graph& graph, const std::vector<Node*>& updates, const std::string& name) override;

  // Adds rows to a slot. Returns the slot afterwards.
  using AddRows = std::function<Result<Output>(const VariablePtr& slot, Output indices, Output rows)>;
  Result<Node*> ApplySparseWith(const IndexedSlices& grad, const VariablePtr& var, const AddRows& add);
  Result<Output> ScatterAddRows(const VariablePtr& slot, Output indices, Output rows) const;

 private:
  const float beta1_;
  const float beta2_;
};

class RMSPropOptimizer : public HyperOptimizer {
 public:
  explicit RMSPropOptimizer(HyperParam learning_rate, HyperParam decay = 0.9, HyperParam momentum = 0.0,
                            HyperParam epsilon = 1e-10, bool centered = false, const OptimizerOptions& options = {});
  Status CreateSlots(const std::vector<VariablePtr>& vars) override;
  Result<Node*> ApplyDense(Output grad, const VariablePtr& var) override;
  Result<Node*> ApplySparse(const IndexedSlices& grad, const VariablePtr& var) override;

 private:
  const bool centered_;
};

struct FtrlOptions {
  float learning_rate_power = -0.5f;
  double initial_accumulator_value = 0.1;
  float l1_regularization_strength = 0;
  float l2_regularization_strength = 0;
  std::string accum_name = "";
  std::string linear_name = "";
  float l2_shrinkage_regularization_strength = 0;
};
class FtrlOptimizer : public HyperOptimizer {
 public:
  explicit FtrlOptimizer(HyperParam learning_rate, const FtrlOptions& ftrl = {}, const OptimizerOptions& options = {});
  Status Check() const override;
  Status CreateSlots(const std::vector<VariablePtr>& vars) override;
  Result<Node*> ApplyDense(Output grad, const VariablePtr& var) override;
  Result<Node*> ApplySparse(const IndexedSlices& grad, const VariablePtr& var) override;

 private:
  const FtrlOptions ftrl_;
};

class ProximalGradientDescentOptimizer : public HyperOptimizer {
 public:
  explicit ProximalGradientDescentOptimizer(HyperParam learning_rate, float l1_regularization_strength = 0,
                                            float l2_regularization_strength = 0, const OptimizerOptions& options = {});
  Result<Node*> ApplyDense(Output grad, const VariablePtr& var) override;
  Result<Node*> ApplySparse(const IndexedSlices& grad, const VariablePtr& var) override;
};

class ProximalAdagradOptimizer : public HyperOptimizer {
 public:
  explicit ProximalAdagradOptimizer(HyperParam learning_rate, double initial_accumulator_value = 0.1,
                                    float l1_regularization_strength = 0, float l2_regularization_strength = 0,
                                    const OptimizerOptions& options = {});
  Status Check() const override;
  Status CreateSlots(const std::vector<VariablePtr>& vars) override;
  Result<Node*> ApplyDense(Output grad, const VariablePtr& var) override;
  Result<Node*> ApplySparse(const IndexedSlices& grad, const VariablePtr& var) override;

 private:
  const double initial_;
};

}  // namespace weir

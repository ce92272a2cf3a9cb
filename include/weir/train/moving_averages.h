// ExponentialMovingAverage: shadow variables with shadow -= (1 - decay) * (shadow - value). Names and slots are
// TensorFlow's ("w/ExponentialMovingAverage"). Not thread-safe; use one object per graph.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "weir/graph/compose/variable.h"

namespace weir {

// Moves `average` towards `value`: average -= (1 - decay) * (average - value). With `zero_debias`, an average that
// starts at zero is corrected for that; it then needs two more variables below its name. Returns the updated variable.
Result<Output> AssignMovingAverage(const Variable& average, const Output& value, const Output& decay, bool zero_debias,
                                   const std::string& name = "AssignMovingAvg");

class ExponentialMovingAverage final {
 public:
  struct Options {
    Output num_updates = {};  // if set, decay = min(decay, (1 + n) / (10 + n))
    bool zero_debias = false;
    std::string name = "ExponentialMovingAverage";
  };
  ExponentialMovingAverage(const Input& decay, Options options) : decay_(decay), options_(std::move(options)) {}

  // A node that updates the averages of `vars` (empty: the trainable variables). Creates the shadow variables on first
  // use.
  Result<Node*> Apply(Graph& graph, std::vector<VariablePtr> vars = {});
  // The same for a tensor; the average is named after its op.
  Result<Node*> ApplyTensor(Output value);
  VariablePtr Average(const VariablePtr& var) const;
  VariablePtr Average(Output value) const;
  std::string AverageName(const std::string& op_name) const { return op_name + "/" + options_.name; }
  const std::string& name() const { return options_.name; }
  // Saved name -> variable: averaged variables under the names of their shadows, others under their own.
  std::map<std::string, VariablePtr> VariablesToRestore(Graph& graph,
                                                        const std::vector<VariablePtr>& moving_average_vars = {}) const;

 private:
  struct Shadow {
    VariablePtr average;
    Output value;
    bool debias = false;
  };
  // Identifies an averaged value: the uid of its graph and the name of its op.
  using Key = std::pair<int64_t, std::string>;
  Result<Node*> UpdateAll(Graph& graph, const std::vector<Key>& keys);

  Input decay_;
  Options options_;
  std::map<Key, Shadow> shadows_;
};

}  // namespace weir

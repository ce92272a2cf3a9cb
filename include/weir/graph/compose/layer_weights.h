// The variables of layers and recurrent cells. A layer or cell lists the variables that it needs. Its caller creates
// them (C++: GetWeights; Python: add_weight of the layer class, which users may override) and passes the values back.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "weir/graph/compose/variable_scope.h"

namespace weir {

// A variable that a layer or cell needs.
struct WeightSpec {
  std::string name;  // "kernel"
  PartialShape shape;
  DType dtype = kFloat;
  ScopedInitializer initializer = {};  // empty: the default of the variable scope
  bool trainable = true;               // false: the layer itself updates it; it is never partitioned
};

// Initializer, regularizer and constraint of a variable. Defaults are those of the layer (biases start at zero), then
// those of the variable scope.
struct Weight {
  ScopedInitializer initializer = {};
  Regularizer regularizer = {};
  Constraint constraint = {};
};

// Values of variables by name.
class WeightValues final {
 public:
  // `variable` is null if the value is not that of a whole variable.
  void Set(const std::string& name, Input value, VariablePtr variable = nullptr) {
    values_[name] = {std::move(value), std::move(variable)};
  }
  // Absent if the layer has no such variable.
  Input operator[](const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? Input() : found->second.first;
  }
  VariablePtr variable(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : found->second.second;
  }

 private:
  std::map<std::string, std::pair<Input, VariablePtr>> values_;
};

// Gets or creates the variables in the current variable scope. `settings` are the user's, by name. Without `trainable`,
// no variable is trainable.
Result<WeightValues> GetWeights(Graph& graph, const std::vector<WeightSpec>& specs,
                                const std::map<std::string, Weight>& settings = {}, bool trainable = true);

}  // namespace weir

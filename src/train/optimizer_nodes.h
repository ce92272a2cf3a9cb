// Nodes that several optimizers make.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "train/optimizer.h"

namespace weir {

// Builds the update node `rule` ("ApplyX", "SparseApplyX"). Inputs are the variable, its slots, then `values`.
Result<Node*> UpdateNode(const Optimizer& optimizer, const std::string& rule, const VariablePtr& var,
                         const std::vector<VariablePtr>& slots, const InputList& values,
                         const std::vector<std::pair<std::string, AttrValue>>& attrs = {});

// Adds to (or replaces) rows of a variable. Returns the variable afterwards.
Output ScatterRows(const VariablePtr& var, Output indices, Output rows, bool add, bool locking);
// Multiplies all rows of a slot by `decay`, then adds `rows`. Returns the slot afterwards.
Output DecayAndAddRows(const VariablePtr& slot, Output decay, Output indices, Output rows, bool locking);

Output InTypeOf(const VariablePtr& var, Output value);
// REQUIRES: vars is not empty.
VariablePtr FirstByName(const std::vector<VariablePtr>& vars);

// The slots of Adam and its variants, and the powers of beta1 and beta2.
Status MakeAdamSlots(Optimizer& optimizer, const std::vector<VariablePtr>& vars, float beta1, float beta2);
// "beta1_power" or "beta2_power" in the type of the variable.
Output PowerFor(const Optimizer& optimizer, const VariablePtr& var, const char* name);
// Multiplies the powers by their bases once all updates have run. Returns all these nodes. REQUIRES: powers is not
// empty.
Result<std::vector<Node*>> NextPowers(const Optimizer& optimizer, Graph& graph, std::vector<Node*> updates,
                                      const std::vector<std::pair<std::string, float>>& powers);

}  // namespace weir

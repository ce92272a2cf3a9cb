// Initializes variables from a checkpoint: their initializers read its values instead of computing initial values.
#pragma once

#include <string>
#include <vector>

#include "base/env.h"
#include "graph/compose/variable.h"

namespace weir {

struct CheckpointAssignment {
  std::string saved;                        // a tensor of the checkpoint, or a scope: "scope/"
  std::string name = "";                    // a variable, or a scope: "scope/"; "/" means all
  std::vector<VariablePtr> variables = {};  // instead of a name: one variable, or the partitions of one
};

// `source` is a checkpoint, or a directory whose latest one is used. Missing tensors and different shapes are errors.
Status InitFromCheckpoint(Graph& graph, Env& env, const std::string& source,
                          const std::vector<CheckpointAssignment>& assignments);

}  // namespace weir

// Variables that begin with values of a checkpoint: their initializers read them instead of computing initial values.
#pragma once

#include <string>
#include <vector>

#include "base/env.h"
#include "graph/compose/variable.h"

namespace weir {

struct CheckpointAssignment {
  std::string saved;                        // a tensor of the checkpoint, or a scope of tensors: "scope/"
  std::string name = "";                    // a variable, or a scope of variables: "scope/"; "/" is all
  std::vector<VariablePtr> variables = {};  // instead of a name: one variable, or the parts of one
};

// `source` is a checkpoint, or a directory whose latest one is taken. What the checkpoint lacks and shapes that differ
// are errors.
Status InitFromCheckpoint(Graph& graph, Env& env, const std::string& source,
                          const std::vector<CheckpointAssignment>& assignments);

}  // namespace weir

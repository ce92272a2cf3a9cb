// Initial values that depend on other variables.
#pragma once

#include <string>

#include "graph/graph.h"

namespace weir {

// Returns a value equal to `initial` that can be computed in the same step as the initializers of other variables.
// Copies the nodes between reference variables and `initial`; a copy reads the initial value of a variable that is not
// initialized yet.
// Returns `initial` itself if it depends on no reference variable, on a loop, or on a node that needs the reference.
Result<Output> GuardedInitialValue(Graph& graph, Output initial, const std::string& name);

}  // namespace weir

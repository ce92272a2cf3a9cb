// Initial values that are made of other variables.
#pragma once

#include <string>

#include "graph/graph.h"

namespace weir {

// `initial` as the initializer of variable `name` may use it in one step with the others' initializers: copies of the
// nodes between reference variables and it read such a variable's own initial value while it has none. `initial` itself
// where no reference variable is behind it, or where there is a loop or a node that must have the reference.
Result<Output> GuardedInitialValue(Graph& graph, Output initial, const std::string& name);

}  // namespace weir

// OrderEffects: runs the side effects of a dataset function in program order.
#pragma once

#include "graph/graph.h"

namespace weir {

// Adds control edges to a function's body. Nodes that use the same resource run in creation order, and so do nodes with
// other side effects (Python functions, printing). Random ops, which have their own state, and nodes in different loops
// or branches stay unordered.
void OrderEffects(Graph& body);

}  // namespace weir

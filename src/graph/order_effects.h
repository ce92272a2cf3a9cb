// OrderEffects: what a function of a dataset does happens in the order in which it was written down.
#pragma once

#include "graph/graph.h"

namespace weir {

// Adds control edges between the nodes of a function's body: those that use the same resource run in the order in which
// they were made, and so do those with other effects (Python functions, printing). Random ops keep their own state and
// stay unordered, and so do nodes of different loops or branches.
void OrderEffects(Graph& body);

}  // namespace weir

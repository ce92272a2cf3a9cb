// An order of nodes that has every node behind those that it depends on.
#pragma once

#include <vector>

#include "base/function_ref.h"

namespace weir {

struct NodeOrder {
  std::vector<int> order;  // all nodes, or those that do not wait for a cycle
  std::vector<int> cycle;  // one of the cycles that are in the way: each node depends on the next
};

// `dependencies(i, visit)` calls visit with every node that i depends on, the same ones each time.
// Where there is a choice, lower numbers come first. Takes O((nodes + edges) log nodes).
NodeOrder OrderNodes(int num_nodes, FunctionRef<void(int, FunctionRef<void(int)>)> dependencies);

}  // namespace weir

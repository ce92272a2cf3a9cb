// Topological order of nodes.
#pragma once

#include <vector>

#include "base/function_ref.h"

namespace weir {

struct NodeOrder {
  std::vector<int> order;  // all nodes, or those that do not depend on a cycle
  std::vector<int> cycle;  // one of the cycles, if any: each node depends on the next
};

// `dependencies(i, visit)` calls `visit` with every node that i depends on; it must give the same nodes each time.
// Among ready nodes the lowest number comes first. Takes O((nodes + edges) log nodes).
NodeOrder OrderNodes(int num_nodes, FunctionRef<void(int, FunctionRef<void(int)>)> dependencies);

}  // namespace weir

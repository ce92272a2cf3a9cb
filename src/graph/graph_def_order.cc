#include "graph/graph_def_order.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace weir {
namespace {

// Follows dependencies among the nodes that never became ready until a node repeats.
std::vector<int> FindCycle(const std::vector<int>& pending,
                           FunctionRef<void(int, FunctionRef<void(int)>)> dependencies) {
  auto stuck = std::find_if(pending.begin(), pending.end(), [](int count) { return count > 0; });
  int at = static_cast<int>(stuck - pending.begin());
  std::vector<int> path;
  std::vector<int> position(pending.size(), -1);
  while (position[at] < 0) {
    position[at] = static_cast<int>(path.size());
    path.push_back(at);
    int next = -1;
    dependencies(at, [&](int from) {
      if (next < 0 && pending[from] > 0) next = from;
    });
    at = next;
  }
  return std::vector<int>(path.begin() + position[at], path.end());
}

}  // namespace

NodeOrder OrderNodes(int num_nodes, FunctionRef<void(int, FunctionRef<void(int)>)> dependencies) {
  std::vector<int> pending(num_nodes, 0);
  std::vector<int> first(num_nodes + 1, 0);  // consumers of node i: edges[first[i] .. first[i + 1])
  for (int i = 0; i < num_nodes; ++i) {
    dependencies(i, [&](int from) {
      ++pending[i];
      ++first[from + 1];
    });
  }
  for (int i = 0; i < num_nodes; ++i) first[i + 1] += first[i];
  std::vector<int> edges(first[num_nodes]);
  std::vector<int> fill(first.begin(), first.end() - 1);
  for (int i = 0; i < num_nodes; ++i) {
    dependencies(i, [&](int from) { edges[fill[from]++] = i; });
  }
  std::priority_queue<int, std::vector<int>, std::greater<int>> ready;
  for (int i = 0; i < num_nodes; ++i) {
    if (pending[i] == 0) ready.push(i);
  }
  NodeOrder result;
  result.order.reserve(num_nodes);
  while (!ready.empty()) {
    const int i = ready.top();
    ready.pop();
    result.order.push_back(i);
    for (int e = first[i]; e < first[i + 1]; ++e) {
      if (--pending[edges[e]] == 0) ready.push(edges[e]);
    }
  }
  if (static_cast<int>(result.order.size()) < num_nodes) result.cycle = FindCycle(pending, dependencies);
  return result;
}

}  // namespace weir

// PlacementGroups: the groups of nodes of a client's graph that must be on the same device, with the merged device
// requests of their members. Covers the whole graph, so that a variable has the same device in every signature. Grows
// with the graph. Not thread-safe.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/disjoint_sets.h"
#include "graph/device_name.h"
#include "graph/graph.h"

namespace weir {

class PlacementGroups final {
 public:
  // With `soft`, members may request different devices of the same task.
  PlacementGroups(const Graph& graph, bool soft) : graph_(graph), soft_(soft) {}
  // From now on, a group without a device request whose members have no common GPU kernel asks for a CPU. With `soft`,
  // it does so even if it requests a GPU.
  void TrackGpuKernels();
  // Adds the nodes that were added to the graph since the last call. REQUIRES: no node was removed from the graph.
  void Update();
  // The device request of the node's group, or of the node itself if it is in no group. If requests of the group
  // conflict, an error that names two nodes.
  Result<std::string> RequestOf(const Node& node);
  // Pins the group of the node to `device`, because the node holds state there. Overrides the requests of the group.
  void Pin(const Node& node, const std::string& device);

 private:
  struct Group {
    DeviceName request;
    std::string requested_by;
    Status conflict;
    bool fixed = false;
    bool needs_cpu = false;  // some member has no GPU kernel
  };
  void Join(int32_t a, int32_t b);
  // Joins a node and the state that it uses. If their requests conflict, that of the state wins.
  void JoinState(int32_t user, int32_t state);
  int32_t ElementOf(const std::string& name);
  void AddRequest(int32_t element, const std::string& device, const std::string& by);
  void Merge(Group& into, const Group& other) const;
  void CheckGpuKernel(int32_t element, const Node& node);

  const Graph& graph_;
  const bool soft_;
  bool track_gpu_kernels_ = false;
  int next_ = 0;                                  // the id of the first node that Update has not seen
  DisjointSets sets_;                             // an element is a node, or a name without a node
  absl::flat_hash_map<int, int32_t> element_of_;  // node id -> element, for nodes that belong to a group
  std::map<std::string, int32_t> by_name_;        // name -> element, for names without a node
  absl::flat_hash_map<int32_t, Group> groups_;    // by the lowest element of the set
};

}  // namespace weir

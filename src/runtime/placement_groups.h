// PlacementGroups: which nodes of a client's graph must be on one device, and what their members ask for together. Of
// the whole graph, so that a variable is in the same place for every signature, whatever part of the graph that needs.
// Grows with the graph. Not thread-safe.
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
  // With `soft`, members may ask for different kinds of devices of one task.
  PlacementGroups(const Graph& graph, bool soft) : graph_(graph), soft_(soft) {}
  // Takes in the nodes that the graph has got since. A graph that lost nodes is not supported: sessions' do not.
  void Update();
  // What the node's group asks for, as the name of a device, or the node's own request where it is alone; an error that
  // names two nodes when the group contradicts itself.
  Result<std::string> RequestOf(const Node& node);
  // The node holds state there from now on: its group stays, wherever that was asked to be.
  void Fix(const Node& node, const std::string& device);

 private:
  struct Group {
    DeviceName request;
    std::string asked_by;
    Status conflict;
    bool fixed = false;
  };
  void Join(int32_t a, int32_t b);
  // The same for a node and the state that it takes: where they disagree, the state's place counts.
  void JoinState(int32_t user, int32_t state);
  int32_t ElementOf(const std::string& name);
  void Ask(int32_t element, const std::string& device, const std::string& by);
  void Merge(Group& into, const Group& other) const;

  const Graph& graph_;
  const bool soft_;
  int next_ = 0;                                  // the first node that is not known yet
  DisjointSets sets_;                             // of elements: a node, or a name that no node has
  absl::flat_hash_map<int, int32_t> element_of_;  // of nodes that belong to a group, by their number
  std::map<std::string, int32_t> by_name_;        // of names without a node
  absl::flat_hash_map<int32_t, Group> groups_;    // by the element that the set is known by
};

}  // namespace weir

// Which nodes must be on one device, and how their device requests are merged. The attribute _class lists colocation
// groups: "loc:@other" names the node to be colocated with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graph/device_name.h"
#include "graph/node.h"

namespace weir {

inline constexpr std::string_view kColocationPrefix = "loc:@";

// The names of the nodes that the attributes of a node ask to be colocated with.
std::vector<std::string> ColocatedWith(const AttrMap& attrs);
// The colocation groups of a node, with their prefix. A node without any is a group of its own.
std::vector<std::string> ColocationGroups(const Node& node);

// True if a value of this input type refers to state. A node runs on the device of the state that it uses. Variants are
// values: they move between the devices of a task, as in TensorFlow.
constexpr bool RefersToState(DType input_type) { return IsRef(input_type) || input_type == kResource; }

// Merges the requests of nodes that must be on one device, or returns an error that names the first part in which they
// differ. With `soft`, a different type or index is dropped from the request instead.
Result<DeviceName> MergeRequests(const DeviceName& a, const DeviceName& b, bool soft);

}  // namespace weir

// Groups are disjoint sets of the nodes of the plan, plus one element for each node that is only named in a colocation
// group. A node without a request and without a group costs one comparison.
#include "runtime/placer.h"

#include <cstdio>

#include "absl/container/flat_hash_map.h"
#include "base/disjoint_sets.h"
#include "graph/colocation.h"
#include "graph/device_name.h"

namespace weir {
namespace {

class Placement {
 public:
  Placement(const Graph& client, const std::vector<std::unique_ptr<Device>>& devices, const PlacerOptions& options,
            PlanGraph& plan)
      : client_(client), devices_(devices), options_(options), plan_(plan), sets_(plan.nodes.size()) {}

  Status Run() {
    for (const auto& device : devices_) {
      WEIR_ASSIGN(DeviceName name, DeviceName::Parse(device->name()));
      device_names_.push_back(std::move(name));
    }
    JoinGroups();
    WEIR_TRY(CollectRequests());
    for (size_t n = 0; n < plan_.nodes.size(); ++n) {
      WEIR_ASSIGN(int device, Choose(static_cast<int32_t>(n)));
      PlanGraph::Node& node = plan_.nodes[n];
      node.placed = devices_[device].get();
      if (options_.log_placement)
        std::printf("%s: (%s): %s\n", node.name().c_str(), node.op().name.c_str(), node.placed->name().c_str());
    }
    if (options_.log_placement) std::fflush(stdout);
    return OkStatus();
  }

 private:
  struct Group {
    DeviceName request;
    int32_t requested_by = -1;  // the element that made the first request, for messages; -1: no request
    int device = -1;
  };

  static bool IsState(const PlanGraph::Node& node, size_t input) {
    return RefersToState(node.props->input_types[input]) && !node.inputs[input].fed();
  }
  static bool TakesState(const PlanGraph::Node& node) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (IsState(node, i)) return true;
    }
    return false;
  }

  void JoinGroups() {
    for (size_t n = 0; n < plan_.nodes.size(); ++n) {
      const PlanGraph::Node& node = plan_.nodes[n];
      for (size_t i = 0; i < node.inputs.size(); ++i) {
        if (IsState(node, i)) sets_.Join(static_cast<int32_t>(n), node.inputs[i].node);
      }
      for (const std::string& name : ColocatedWith(*node.props->attrs))
        sets_.Join(static_cast<int32_t>(n), ElementOf(name));
    }
  }

  // The element of the node with that name. Adds one if the node is not in the plan.
  int32_t ElementOf(const std::string& name) {
    if (by_name_.empty()) {
      for (size_t n = 0; n < plan_.nodes.size(); ++n) by_name_.emplace(plan_.nodes[n].name(), static_cast<int32_t>(n));
    }
    auto [it, is_new] = by_name_.try_emplace(name, static_cast<int32_t>(sets_.size()));
    if (is_new) {
      sets_.Add();
      const Node* node = client_.FindNode(name);
      named_only_.emplace_back(name, node == nullptr ? std::string() : node->device());
    }
    return it->second;
  }

  Status CollectRequests() {
    groups_.resize(sets_.size());
    for (size_t x = 0; x < sets_.size(); ++x) {
      const bool inside = x < plan_.nodes.size();
      const std::string& asked = inside ? plan_.nodes[x].device : named_only_[x - plan_.nodes.size()].second;
      if (asked.empty()) continue;
      const std::string& name = inside ? plan_.nodes[x].name() : named_only_[x - plan_.nodes.size()].first;
      auto [parsed, is_new] = parsed_.try_emplace(asked);
      if (is_new) {
        Result<DeviceName> result = DeviceName::Parse(asked);
        if (!result.ok()) {
          return MarkNode(InvalidArgument("Malformed device specification '{}' in node '{}': {}", asked, name,
                                          std::string(result.status().message())),
                          name);
        }
        parsed->second = *std::move(result);
      }
      Group& group = groups_[sets_.Find(static_cast<int32_t>(x))];
      Result<DeviceName> merged = MergeRequests(group.request, parsed->second, options_.allow_soft_placement);
      if (!merged.ok() && inside && TakesState(plan_.nodes[x])) continue;  // the request of the state wins
      if (!merged.ok()) {
        const std::string& other = group.requested_by < 0 ? name : NameOfElement(group.requested_by);
        return MarkNode(InvalidArgument("Cannot colocate nodes '{}' and '{}': {}", name, other,
                                        std::string(merged.status().message())),
                        name);
      }
      group.request = *std::move(merged);
      if (group.requested_by < 0) group.requested_by = static_cast<int32_t>(x);
    }
    return OkStatus();
  }

  const std::string& NameOfElement(int32_t x) const {
    const auto inside = static_cast<int32_t>(plan_.nodes.size());
    return x < inside ? plan_.nodes[x].name() : named_only_[x - inside].first;
  }

  Result<int> Choose(int32_t n) {
    Group& group = groups_[sets_.Find(n)];
    if (group.device >= 0) return group.device;
    if (group.requested_by < 0) return group.device = 0;
    group.device = Match(group.request);
    if (group.device < 0 && options_.allow_soft_placement) {
      DeviceName relaxed = group.request;
      relaxed.type.reset();
      relaxed.index.reset();
      group.device = Match(relaxed);
    }
    if (group.device >= 0) return group.device;
    std::string available;
    for (const auto& device : devices_) available += (available.empty() ? "" : ", ") + device->name();
    const std::string& name = plan_.nodes[n].name();
    DeviceName elsewhere = group.request;
    elsewhere.type.reset();
    elsewhere.index.reset();
    const char* advice = Match(elsewhere) >= 0 ? "With ConfigProto(allow_soft_placement=True) it runs on one of these."
                                               : "Make sure the device specification refers to a valid device.";
    return MarkNode(
        InvalidArgument(
            "Cannot assign a device for operation {}: node '{}' ({}) was explicitly assigned to {} but available "
            "devices are [ {} ]. {}",
            name, name, plan_.nodes[n].op().name, group.request.ToString(), available, advice),
        name);
  }

  int Match(const DeviceName& request) const {
    for (size_t i = 0; i < device_names_.size(); ++i) {
      if (request.Matches(device_names_[i])) return static_cast<int>(i);
    }
    return -1;
  }

  const Graph& client_;
  const std::vector<std::unique_ptr<Device>>& devices_;
  const PlacerOptions& options_;
  PlanGraph& plan_;
  DisjointSets sets_;
  std::vector<Group> groups_;                                    // by the lowest element of the set
  std::vector<std::pair<std::string, std::string>> named_only_;  // name and request of nodes that are not in the plan
  std::vector<DeviceName> device_names_;
  absl::flat_hash_map<std::string, int32_t> by_name_;
  absl::flat_hash_map<std::string, DeviceName> parsed_;
};

}  // namespace

Status PlaceNodes(const Graph& client, const std::vector<std::unique_ptr<Device>>& devices,
                  const PlacerOptions& options, PlanGraph& plan) {
  return Placement(client, devices, options, plan).Run();
}

}  // namespace weir

// Groups are disjoint sets of the nodes of the plan, plus one element for each node that is only named in a colocation
// group. A node without a request and without a group costs one comparison.
#include "runtime/placer.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "absl/container/flat_hash_map.h"
#include "base/disjoint_sets.h"
#include "graph/colocation.h"
#include "graph/device_name.h"
#include "op/gpu_kernel.h"

namespace weir {
namespace {

// Whether it is a GPU whose kernels this process knows.
bool KnowsKernels(const Device& device) {
  return device.kind() == "GPU" && device.attributes().physical_device_desc().starts_with(kWeirDevice);
}

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
    has_gpu_ = HasGpu(devices_);
    if (has_gpu_) {
      CheckGpuKernels();
      WEIR_TRY(ChooseForComputing());
    }
    for (size_t n = 0; n < plan_.nodes.size(); ++n) {
      WEIR_ASSIGN(int device, Choose(static_cast<int32_t>(n)));
      plan_.nodes[n].placed = devices_[device].get();
    }
    if (has_gpu_) MoveConstants();
    if (options_.log_placement) LogPlacement();
    return OkStatus();
  }

 private:
  struct Group {
    DeviceName request;
    int32_t requested_by = -1;  // the element that made the first request, for messages; -1: no request
    int device = -1;
    // With GPUs: decides the device of a group without a request.
    int32_t without_gpu_kernel = -1;  // a member; -1: none
    bool computes_on_gpu = false;
    bool passes_on = false;        // some members only forward values
    bool looks_at_shapes = false;  // some members only read shapes
    bool state_on_host = false;    // some members are or use state that is always in host memory
  };

  void LogPlacement() const {
    for (const PlanGraph::Node& node : plan_.nodes)
      std::printf("%s: (%s): %s\n", node.name().c_str(), node.op().name.c_str(), node.placed->name().c_str());
    std::fflush(stdout);
  }

  void CheckGpuKernels() {
    for (size_t n = 0; n < plan_.nodes.size(); ++n) {
      const PlanGraph::Node& node = plan_.nodes[n];
      Group& group = groups_[sets_.Find(static_cast<int32_t>(n))];
      const GpuKernelChoice choice = FindGpuKernel(node.op(), *node.props->attrs);
      if (!HasGpuKernel(*node.props)) {
        if (group.without_gpu_kernel < 0) group.without_gpu_kernel = static_cast<int32_t>(n);
      } else if (choice.found() && choice.on_host()) {
        const StateRole role = node.op().traits.state;
        if (role != StateRole::kNone && role != StateRole::kVariableHandle) group.state_on_host = true;
      } else if (choice.found()) {
        const bool forwards = choice.runs == GpuKernel::Runs::kForwards;
        const bool computes = !forwards && !choice.only_shapes();
        if (computes || node.op().traits.state != StateRole::kNone) group.computes_on_gpu = true;
        if (forwards) group.passes_on = true;
        if (choice.only_shapes()) group.looks_at_shapes = true;
      }
      // The value of a loop variable stays where the loop's Merge is.
      if (node.op().traits.kind == NodeKind::kMerge) {
        for (PlanValue input : node.inputs) {
          if (!input.fed() && plan_.nodes[input.node].op().traits.kind == NodeKind::kNextIteration)
            merge_of_[input.node] = static_cast<int32_t>(n);
        }
      }
    }
  }

  // Groups that ask for a GPU or compute on one come first: the choice of the others depends on theirs.
  Status ChooseForComputing() {
    for (size_t n = 0; n < plan_.nodes.size(); ++n) {
      const Group& group = groups_[sets_.Find(static_cast<int32_t>(n))];
      if (!group.computes_on_gpu && group.request.type != "GPU") continue;
      WEIR_ASSIGN(const int device, Choose(static_cast<int32_t>(n)));
      if (KnowsKernels(*devices_[device])) computing_.insert(device);
    }
    return OkStatus();
  }

  // Constants without a request move to their first consumer.
  void MoveConstants() {
    std::vector<bool> moved(plan_.nodes.size(), false);
    for (size_t n = 0; n < plan_.nodes.size(); ++n) {
      for (PlanValue input : plan_.nodes[n].inputs) {
        if (input.fed() || moved[input.node]) continue;
        PlanGraph::Node& producer = plan_.nodes[input.node];
        const Group& group = groups_[sets_.Find(input.node)];
        if (producer.op().traits.kind != NodeKind::kConst || group.requested_by >= 0 || !options_.prefer_gpus) continue;
        moved[input.node] = true;
        if (group.without_gpu_kernel < 0 && plan_.nodes[n].placed->kind() == "GPU")
          producer.placed = plan_.nodes[n].placed;
      }
    }
  }

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
      const std::string& requested = inside ? plan_.nodes[x].device : named_only_[x - plan_.nodes.size()].second;
      if (requested.empty()) continue;
      const std::string& name = inside ? plan_.nodes[x].name() : named_only_[x - plan_.nodes.size()].first;
      auto [parsed, is_new] = parsed_.try_emplace(requested);
      if (is_new) {
        Result<DeviceName> result = DeviceName::Parse(requested);
        if (!result.ok()) {
          return MarkNode(InvalidArgument("Malformed device specification '{}' in node '{}': {}", requested, name,
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
    if (has_gpu_) {
      if (const int gpu = ChooseGpu(n, group); gpu >= 0) return group.device = gpu;
    }
    if (group.requested_by < 0) return group.device = 0;
    group.device = Match(group.request);
    const bool no_kernel =
        group.device >= 0 && has_gpu_ && group.without_gpu_kernel >= 0 && KnowsKernels(*devices_[group.device]);
    if (no_kernel) group.device = -1;
    if (group.device < 0 && options_.allow_soft_placement) {
      DeviceName relaxed = group.request;
      relaxed.type.reset();
      relaxed.index.reset();
      if (no_kernel) relaxed.type = "CPU";
      group.device = Match(relaxed);
    }
    if (group.device >= 0) return group.device;
    if (no_kernel) return NoGpuKernel(n, group);
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

  // The GPU for a group whose request allows one; -1: none.
  int ChooseGpu(int32_t n, const Group& group) const {
    if (group.without_gpu_kernel >= 0 || !options_.prefer_gpus || group.request.type.has_value()) return -1;
    DeviceName wanted = group.requested_by >= 0 ? group.request : device_names_[0];
    wanted.type = "GPU";
    if (group.requested_by < 0) wanted.index.reset();
    if (group.computes_on_gpu) {
      for (size_t i = 0; i < devices_.size(); ++i) {
        if (KnowsKernels(*devices_[i]) && wanted.Matches(device_names_[i])) return static_cast<int>(i);
      }
      return -1;
    }
    if (group.passes_on || group.looks_at_shapes) {
      const int32_t leader = LeaderOf(n);
      if (leader < 0 && group.passes_on) return -1;
      const int device = leader < 0 ? -1 : groups_[sets_.Find(leader)].device;
      if (device >= 0) return KnowsKernels(*devices_[device]) && wanted.Matches(device_names_[device]) ? device : -1;
      if (group.passes_on) return -1;
    }
    if (group.state_on_host) return -1;
    // Nodes whose GPU kernels run on the host, such as those for shapes and control edges: the GPU that computes.
    for (const int device : computing_) {
      if (wanted.Matches(device_names_[device])) return device;
    }
    return -1;
  }

  // For a node that only forwards values or reads shapes: the node whose device it follows; -1: none.
  int32_t LeaderOf(int32_t n) const {
    const PlanGraph::Node& node = plan_.nodes[n];
    if (auto merge = merge_of_.find(n); merge != merge_of_.end()) return merge->second;
    return node.inputs.empty() || node.inputs[0].fed() ? -1 : node.inputs[0].node;
  }

  Status NoGpuKernel(int32_t n, const Group& group) const {
    const PlanGraph::Node& node = plan_.nodes[n];
    const PlanGraph::Node& lacking = plan_.nodes[group.without_gpu_kernel];
    const bool other_types = std::any_of(lacking.op().kernels.begin(), lacking.op().kernels.end(),
                                         [](const KernelDef& kernel) { return kernel.device == "GPU"; });
    std::string available;
    for (const auto& device : devices_) available += (available.empty() ? "" : ", ") + device->name();
    return MarkNode(
        InvalidArgument(
            "Cannot assign a device for operation {}: node '{}' ({}) was explicitly assigned to {}, but {} ({}) has {} "
            "there: the available kernels are for the CPU. Available devices are [ {} ]. With "
            "ConfigProto(allow_soft_placement=True) it runs on the CPU.",
            node.name(), node.name(), node.op().name, group.request.ToString(),
            &lacking == &node ? "this node"
                              : fmt::format("node '{}', which must be on the same device,", lacking.name()),
            lacking.op().name, other_types ? "no kernel for its types" : "no kernel", available),
        node.name());
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
  mutable DisjointSets sets_;
  std::vector<Group> groups_;                                    // by the lowest element of the set
  std::vector<std::pair<std::string, std::string>> named_only_;  // name and request of nodes that are not in the plan
  std::vector<DeviceName> device_names_;
  bool has_gpu_ = false;
  std::set<int> computing_;                         // the GPUs that groups compute on
  absl::flat_hash_map<int32_t, int32_t> merge_of_;  // NextIteration -> the Merge that it leads to
  absl::flat_hash_map<std::string, int32_t> by_name_;
  absl::flat_hash_map<std::string, DeviceName> parsed_;
};

}  // namespace

bool HasGpu(const std::vector<std::unique_ptr<Device>>& devices) {
  return std::any_of(devices.begin(), devices.end(), [](const auto& device) { return KnowsKernels(*device); });
}

bool HasGpuKernel(const NodeProps& node) {
  return node.op->is_function || FindGpuKernel(*node.op, *node.attrs).found();
}

Status PlaceNodes(const Graph& client, const std::vector<std::unique_ptr<Device>>& devices,
                  const PlacerOptions& options, PlanGraph& plan) {
  return Placement(client, devices, options, plan).Run();
}

}  // namespace weir

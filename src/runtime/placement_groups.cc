#include "runtime/placement_groups.h"

#include "graph/colocation.h"
#include "runtime/placer.h"

namespace weir {

void PlacementGroups::TrackGpuKernels() {
  if (std::exchange(track_gpu_kernels_, true)) return;
  for (Node* node : graph_.Nodes()) {
    if (auto known = element_of_.find(node->id()); known != element_of_.end()) CheckGpuKernel(known->second, *node);
  }
}

void PlacementGroups::CheckGpuKernel(int32_t element, const Node& node) {
  if (track_gpu_kernels_ && !HasGpuKernel(*node.props())) groups_[sets_.Find(element)].needs_cpu = true;
}

void PlacementGroups::Merge(Group& into, const Group& other) const {
  into.needs_cpu = into.needs_cpu || other.needs_cpu;
  if (into.conflict.ok()) into.conflict = other.conflict;
  const Result<DeviceName> merged = MergeRequests(into.request, other.request, soft_);
  if (into.conflict.ok() && !merged.ok()) {
    into.conflict = MarkNode(InvalidArgument("Cannot colocate nodes '{}' and '{}': {}", other.requested_by,
                                             into.requested_by, std::string(merged.status().message())),
                             other.requested_by);
  }
  if (into.requested_by.empty()) into.requested_by = other.requested_by;
  if (into.fixed) return;
  if (other.fixed) {
    into.request = other.request;
    into.fixed = true;
    return;
  }
  if (merged.ok()) into.request = *merged;
}

void PlacementGroups::Join(int32_t a, int32_t b) {
  a = sets_.Find(a);
  b = sets_.Find(b);
  if (a == b) return;
  sets_.Join(a, b);
  if (a > b) std::swap(a, b);
  if (auto it = groups_.find(b); it != groups_.end()) {
    const Group moved = std::move(it->second);
    groups_.erase(it);
    Merge(groups_[a], moved);
  }
}

void PlacementGroups::JoinState(int32_t user, int32_t state) {
  user = sets_.Find(user);
  state = sets_.Find(state);
  auto requested = groups_.find(user);
  auto owned = groups_.find(state);
  if (user != state && requested != groups_.end() && owned != groups_.end() && !requested->second.fixed)
    requested->second.request = requested->second.request.MergedWith(owned->second.request);
  Join(user, state);
}

void PlacementGroups::AddRequest(int32_t element, const std::string& device, const std::string& by) {
  if (device.empty()) return;
  Result<DeviceName> parsed = DeviceName::Parse(device);
  Group requested;
  requested.requested_by = by;
  if (parsed.ok()) {
    requested.request = *std::move(parsed);
  } else {
    requested.conflict = MarkNode(InvalidArgument("Malformed device specification '{}' in node '{}': {}", device, by,
                                                  std::string(parsed.status().message())),
                                  by);
  }
  Merge(groups_[sets_.Find(element)], requested);
}

int32_t PlacementGroups::ElementOf(const std::string& name) {
  const Node* node = graph_.FindNode(name);
  if (node == nullptr) {
    auto [it, is_new] = by_name_.try_emplace(name);
    if (is_new) it->second = sets_.Add();
    return it->second;
  }
  auto [it, is_new] = element_of_.try_emplace(node->id());
  if (!is_new) return it->second;
  it->second = sets_.Add();
  const int32_t element = it->second;
  AddRequest(element, node->device(), name);
  CheckGpuKernel(element, *node);
  // A colocation group named the node before it existed.
  if (auto named = by_name_.find(name); named != by_name_.end()) {
    Join(named->second, element);
    by_name_.erase(named);
  }
  return element;
}

void PlacementGroups::Update() {
  const int count = graph_.num_nodes();
  if (next_ == count) return;
  for (Node* node : graph_.Nodes()) {
    if (node->id() < next_) continue;
    if (by_name_.contains(node->name())) ElementOf(node->name());
    for (int i = 0; i < node->num_inputs(); ++i) {
      const DType type = node->props()->input_types[i];
      // The nodes of this graph may be on several tasks, and no variant can be sent to another task.
      if (node->input(i).valid() && (RefersToState(type) || type == kVariant))
        JoinState(ElementOf(node->name()), ElementOf(node->input(i).node->name()));
    }
    for (const std::string& name : ColocatedWith(node->attrs())) Join(ElementOf(node->name()), ElementOf(name));
  }
  next_ = count;
}

Result<std::string> PlacementGroups::RequestOf(const Node& node) {
  auto it = element_of_.find(node.id());
  if (it == element_of_.end()) return node.device();
  auto group = groups_.find(sets_.Find(it->second));
  if (group == groups_.end()) return std::string();
  WEIR_TRY(group->second.conflict);
  DeviceName request = group->second.request;
  if (group->second.needs_cpu && !group->second.fixed && (!request.type || (soft_ && request.type == "GPU"))) {
    request.type = "CPU";
    request.index.reset();
  }
  return request.ToString();
}

void PlacementGroups::Pin(const Node& node, const std::string& device) {
  Result<DeviceName> name = DeviceName::Parse(device);
  if (!name.ok()) return;
  Group& group = groups_[sets_.Find(ElementOf(node.name()))];
  if (group.fixed) return;
  group.request = *std::move(name);
  group.requested_by = node.name();
  group.fixed = true;
}

}  // namespace weir

#include "graph/colocation.h"

namespace weir {

std::vector<std::string> ColocatedWith(const AttrMap& attrs) {
  std::vector<std::string> names;
  const auto it = attrs.find("_class");
  const auto* groups = it == attrs.end() ? nullptr : it->second.As<std::vector<std::string>>();
  if (groups == nullptr) return names;
  for (const std::string& group : *groups)
    if (group.starts_with(kColocationPrefix)) names.push_back(group.substr(kColocationPrefix.size()));
  return names;
}

std::vector<std::string> ColocationGroups(const Node& node) {
  std::vector<std::string> groups = ColocatedWith(node.attrs());
  if (groups.empty()) groups.push_back(node.name());
  for (std::string& group : groups) group.insert(0, kColocationPrefix);
  return groups;
}

Result<DeviceName> MergeRequests(const DeviceName& a, const DeviceName& b, bool soft) {
  auto differ = [](const auto& x, const auto& y) { return x.has_value() && y.has_value() && *x != *y; };
  const char* hard_conflict = differ(a.job, b.job)           ? "jobs"
                              : differ(a.replica, b.replica) ? "replicas"
                              : differ(a.task, b.task)       ? "tasks"
                                                             : nullptr;
  const char* soft_conflict = differ(a.type, b.type) ? "types" : differ(a.index, b.index) ? "ids" : nullptr;
  if (hard_conflict != nullptr || (soft_conflict != nullptr && !soft)) {
    return InvalidArgument("Cannot merge devices with incompatible {}: '{}' and '{}'",
                           hard_conflict != nullptr ? hard_conflict : soft_conflict, a.ToString(), b.ToString());
  }
  DeviceName merged = a.MergedWith(b);
  if (soft_conflict != nullptr) {
    merged.type.reset();
    merged.index.reset();
  }
  return merged;
}

}  // namespace weir

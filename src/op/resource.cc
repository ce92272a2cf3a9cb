// Variables and the resource manager. Resources are destroyed without the manager's lock, because a destructor may be
// slow or call the manager.
#include "op/resource.h"

#include <vector>

namespace weir {

Tensor VariableState::Read() const {
  std::shared_lock lock(mu_);
  return value_;
}

Result<Tensor> VariableState::Snapshot() const {
  std::shared_lock lock(mu_);
  if (!value_.valid()) return FailedPrecondition("Attempting to use uninitialized value");
  return value_.Clone();
}

void VariableState::Write(Tensor value) {
  std::lock_guard lock(mu_);
  std::swap(value_, value);
}

bool VariableState::initialized() const {
  std::shared_lock lock(mu_);
  return value_.valid();
}

std::string VariableState::DebugString() const {
  std::shared_lock lock(mu_);
  if (!value_.valid()) return fmt::format("variable of {}, uninitialized", dtype_);
  return fmt::format("variable of {} {}", dtype_, value_.shape());
}

Result<ResourcePtr<Resource>> ResourceManager::LookupAny(std::string_view container, std::string_view name) const {
  if (container.empty()) container = default_container_;
  std::shared_lock lock(mu_);
  auto it = containers_.find(container);
  if (it == containers_.end()) {
    return NotFound("there is no resource '{}' in container '{}' (the container does not exist)", name, container);
  }
  auto found = it->second.find(name);
  if (found == it->second.end()) return NotFound("there is no resource '{}' in container '{}'", name, container);
  return found->second;
}

Result<ResourcePtr<Resource>> ResourceManager::LookupOrCreateAny(std::string_view container, std::string_view name,
                                                                 FunctionRef<Result<ResourcePtr<Resource>>()> make) {
  if (container.empty()) container = default_container_;
  {
    std::shared_lock lock(mu_);
    if (auto it = containers_.find(container); it != containers_.end()) {
      if (auto found = it->second.find(name); found != it->second.end()) return found->second;
    }
  }
  std::unique_lock lock(mu_);
  if (auto it = containers_.find(container); it != containers_.end()) {
    if (auto found = it->second.find(name); found != it->second.end()) return found->second;
  }
  WEIR_ASSIGN(ResourcePtr<Resource> made, make());
  containers_[std::string(container)].emplace(std::string(name), made);
  return made;
}

Status ResourceManager::WrongType(std::string_view container, std::string_view name, const Resource& found) const {
  return InvalidArgument("resource '{}' in container '{}' is of another type: {}", name,
                         container.empty() ? std::string_view(default_container_) : container, found.DebugString());
}

Status ResourceManager::Create(std::string_view container, std::string_view name, ResourcePtr<Resource> resource) {
  if (container.empty()) container = default_container_;
  std::unique_lock lock(mu_);
  auto [it, inserted] = containers_[std::string(container)].emplace(std::string(name), std::move(resource));
  if (!inserted) return AlreadyExists("resource '{}' exists already in container '{}'", name, container);
  return OkStatus();
}

Status ResourceManager::Delete(std::string_view container, std::string_view name) {
  if (container.empty()) container = default_container_;
  ResourcePtr<Resource> removed;
  std::unique_lock lock(mu_);
  auto it = containers_.find(container);
  if (it != containers_.end()) {
    if (auto found = it->second.find(name); found != it->second.end()) {
      removed = std::move(found->second);
      it->second.erase(found);
      lock.unlock();
      return OkStatus();
    }
  }
  return NotFound("there is no resource '{}' in container '{}' to delete", name, container);
}

void ResourceManager::ClearContainer(std::string_view container) {
  if (container.empty()) container = default_container_;
  decltype(containers_)::node_type removed;
  std::unique_lock lock(mu_);
  if (auto it = containers_.find(container); it != containers_.end()) removed = containers_.extract(it);
  lock.unlock();
}

void ResourceManager::ClearAll() {
  decltype(containers_) removed;
  std::unique_lock lock(mu_);
  removed.swap(containers_);
  lock.unlock();
}

}  // namespace weir

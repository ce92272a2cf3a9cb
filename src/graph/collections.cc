#include "graph/collections.h"

namespace weir {

void Collections::Add(const std::string& name, std::any item) {
  std::lock_guard<std::mutex> lock(mu_);
  items_[name].push_back(std::move(item));
}

std::vector<std::any> Collections::Items(const std::string& name) const {
  std::lock_guard<std::mutex> lock(mu_);
  auto it = items_.find(name);
  return it == items_.end() ? std::vector<std::any>() : it->second;
}

void Collections::Set(const std::string& name, std::vector<std::any> items) {
  std::vector<std::any> replaced;  // destroyed without the lock: an item may be a Python object
  std::lock_guard<std::mutex> lock(mu_);
  if (auto it = items_.find(name); it != items_.end()) replaced = std::move(it->second);
  if (items.empty()) {
    items_.erase(name);
  } else {
    items_[name] = std::move(items);
  }
}

std::vector<std::string> Collections::Names() const {
  std::lock_guard<std::mutex> lock(mu_);
  std::vector<std::string> names;
  for (const auto& [name, items] : items_) names.push_back(name);
  return names;
}

}  // namespace weir

// For tests: alarms that fire when the test says so.
#pragma once

#include <functional>
#include <map>
#include <mutex>

#include "base/alarms.h"

namespace weir {

class RungAlarms final : public Alarms {
 public:
  Id After(int64_t, std::function<void()> ring) override {
    std::lock_guard lock(mu_);
    set_.emplace(next_, std::move(ring));
    return next_++;
  }
  void Drop(Id id) override {
    std::lock_guard lock(mu_);
    set_.erase(id);
  }
  size_t count() {
    std::lock_guard lock(mu_);
    return set_.size();
  }
  // Fires all alarms that are set.
  void Ring() {
    std::map<Id, std::function<void()>> rings;
    {
      std::lock_guard lock(mu_);
      rings.swap(set_);
    }
    for (const auto& [id, ring] : rings) ring();
  }

 private:
  std::mutex mu_;
  Id next_ = 1;
  std::map<Id, std::function<void()>> set_;
};

}  // namespace weir

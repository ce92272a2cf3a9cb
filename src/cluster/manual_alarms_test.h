// For tests: alarms that a test fires explicitly.
#pragma once

#include <functional>
#include <map>
#include <mutex>

#include "base/alarms.h"

namespace weir {

class ManualAlarms final : public Alarms {
 public:
  Id After(int64_t, std::function<void()> callback) override {
    std::lock_guard lock(mu_);
    set_.emplace(next_, std::move(callback));
    return next_++;
  }
  void Cancel(Id id) override {
    std::lock_guard lock(mu_);
    set_.erase(id);
  }
  size_t count() {
    std::lock_guard lock(mu_);
    return set_.size();
  }
  // Fires all alarms that are set.
  void FireAll() {
    std::map<Id, std::function<void()>> rings;
    {
      std::lock_guard lock(mu_);
      rings.swap(set_);
    }
    for (const auto& [id, callback] : rings) callback();
  }

 private:
  std::mutex mu_;
  Id next_ = 1;
  std::map<Id, std::function<void()>> set_;
};

}  // namespace weir

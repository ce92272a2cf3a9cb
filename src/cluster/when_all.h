// WhenAll: joins several concurrent calls. Each call invokes the returned callback once when it ends. `then` runs with
// the last one and gets the first error. `at_first_error`, if given, runs as soon as that error occurs, before `then`.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "base/status.h"

namespace weir {

// REQUIRES: count > 0.
inline std::function<void(const Status&)> WhenAll(size_t count, std::function<void(const Status&)> then,
                                                  std::function<void(const Status&)> at_first_error = nullptr) {
  struct Join {
    std::mutex mu;
    size_t left = 0;
    Status status;  // the first error
  };
  auto join = std::make_shared<Join>();
  join->left = count;
  return [join, then = std::move(then), at_first_error = std::move(at_first_error)](const Status& status) {
    bool is_first_error = false;
    {
      std::lock_guard lock(join->mu);
      is_first_error = join->status.ok() && !status.ok();
      if (is_first_error) join->status = status;
    }
    if (is_first_error && at_first_error) at_first_error(status);  // it may end other calls; `then` waits for this one
    {
      std::lock_guard lock(join->mu);
      if (--join->left > 0) return;
    }
    then(join->status);
  };
}

}  // namespace weir

#include "train/pauses.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace weir {
namespace {

constexpr double kShortestSecs = 0.001;

// Sleeps, or returns early when the token is cancelled.
void Sleep(double secs, CancelToken* cancel) {
  std::mutex mu;
  std::condition_variable woken;
  bool cancelled = false;
  CancelToken::Id id = 0;
  if (cancel != nullptr) {
    id = cancel->Register([&] {
      std::lock_guard<std::mutex> lock(mu);
      cancelled = true;
      woken.notify_all();
    });
    if (id == 0) return;
  }
  {
    std::unique_lock<std::mutex> lock(mu);
    woken.wait_for(lock, std::chrono::duration<double>(secs), [&] { return cancelled; });
  }
  if (cancel != nullptr) cancel->Unregister(id);
}

}  // namespace

Pauses::Pauses(double longest_secs, double limit_secs, CancelToken* cancel)
    : longest_secs_(longest_secs), limit_secs_(limit_secs), cancel_(cancel) {}

double Pauses::waited_secs() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

Status Pauses::Next() {
  constexpr double kLongestSleepSecs = 3600;  // so that any number can be asked for
  const double waited = waited_secs();
  const double left = limit_secs_ - waited;
  if (left <= 0) return DeadlineExceeded("not ready after {:g} seconds", limit_secs_);
  const double pause = std::max(kShortestSecs, std::min(longest_secs_, waited / 10));
  Sleep(std::min({pause, left, kLongestSleepSecs}), cancel_);
  return cancel_ != nullptr && cancel_->cancelled() ? cancel_->reason() : OkStatus();
}

}  // namespace weir

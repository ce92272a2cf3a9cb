#include "train/backoff.h"

#include <algorithm>

#include "base/clock_wait.h"
#include "op/cancel_watch.h"

namespace weir {
namespace {

constexpr double kShortestSecs = 0.001;
constexpr double kLongestSecs = 1e9;  // about 30 years: fits any clock

int64_t PauseNanos(double secs) { return static_cast<int64_t>(std::min(secs, kLongestSecs) * 1e9); }

// Sleeps, or returns early if the token is cancelled.
void Sleep(Clock& clock, double secs, CancelToken* cancel) {
  std::mutex mu;
  std::condition_variable woken;
  const CancelWatch watch(mu, woken, cancel);
  std::unique_lock<std::mutex> lock(mu);
  WaitOn(clock, lock, woken, clock.MonotonicNanos() + PauseNanos(secs), [&] { return watch.cancelled(); });
}

}  // namespace

Backoff::Backoff(double longest_secs, double limit_secs, CancelToken* cancel, Clock& clock)
    : longest_secs_(longest_secs),
      limit_secs_(limit_secs),
      cancel_(cancel),
      clock_(clock),
      start_nanos_(clock.MonotonicNanos()) {}

double Backoff::waited_secs() const { return static_cast<double>(clock_.MonotonicNanos() - start_nanos_) / 1e9; }

CancelAfter::CancelAfter(double secs, CancelToken* outer, Clock& clock) : outer_(outer) {
  if (outer_ != nullptr) {
    outer_id_ = outer_->Register([this] { token_.Cancel(outer_->reason()); });
    if (outer_id_ == 0) token_.Cancel(outer_->reason());
  }
  if (!(secs < kLongestSecs)) return;
  thread_ = std::thread([this, secs, &clock, until = clock.MonotonicNanos() + PauseNanos(std::max(secs, 0.0))] {
    {
      std::unique_lock<std::mutex> lock(mu_);
      if (WaitOn(clock, lock, changed_, until, [&] { return over_; })) return;
    }
    passed_ = true;
    token_.Cancel(DeadlineExceeded("not ready after {:g} seconds", secs));
  });
}

CancelAfter::~CancelAfter() {
  if (outer_ != nullptr && outer_id_ != 0) outer_->Unregister(outer_id_);
  {
    std::lock_guard<std::mutex> lock(mu_);
    over_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

Status Backoff::Wait() {
  constexpr double kLongestSleepSecs = 3600;  // so that longest_secs may be any number
  const double waited = waited_secs();
  const double left = limit_secs_ - waited;
  if (left <= 0) return DeadlineExceeded("not ready after {:g} seconds", limit_secs_);
  const double pause = std::max(kShortestSecs, std::min(longest_secs_, waited / 10));
  Sleep(clock_, std::min({pause, left, kLongestSleepSecs}), cancel_);
  return cancel_ != nullptr && cancel_->cancelled() ? cancel_->reason() : OkStatus();
}

}  // namespace weir

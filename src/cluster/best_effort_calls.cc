#include "cluster/best_effort_calls.h"

#include <algorithm>

namespace weir {
namespace {

constexpr int64_t kAttemptTimeoutMs = 5'000;  // timeout of one attempt
constexpr int kAttempts = 30;                 // then the task is given up
constexpr int64_t kFirstRetryDelayMs = 20;
constexpr int64_t kMaxRetryDelayMs = 5'000;
constexpr size_t kMaxPendingCalls = 1'000;

}  // namespace

void BestEffortCalls::Try(const std::string& address, std::shared_ptr<const Call> call, bool again) {
  const Call& run = *call;
  run(CallOptions{.timeout_ms = kAttemptTimeoutMs}, [self = shared_from_this(), address, call,
                                                     again](const Status& status) {
    const bool delivered = status.code() != StatusCode::kUnavailable && status.code() != StatusCode::kDeadlineExceeded;
    if (!delivered) return self->ScheduleRetry(address, call, again);
    if (!again) return;
    decltype(PendingCalls::calls) others;
    {
      std::lock_guard lock(self->mu_);
      if (auto it = self->pending_.find(address); it != self->pending_.end()) {
        others = std::move(it->second.calls);
        self->pending_.erase(it);
      }
    }
    for (const std::shared_ptr<const Call>& other : others) self->Try(address, other, false);
  });
}

void BestEffortCalls::ScheduleRetry(const std::string& address, std::shared_ptr<const Call> call, bool again) {
  std::lock_guard lock(mu_);
  if (alarms_ == nullptr) return;
  auto [it, first] = pending_.try_emplace(address);
  PendingCalls& pending = it->second;
  if (pending.calls.size() < kMaxPendingCalls) pending.calls.push_back(std::move(call));
  if (!first && !again) return;  // the retry in progress sends it, too
  if (pending.attempts == kAttempts) {
    pending_.erase(it);
    return;
  }
  const int64_t pause_ms = std::min(kFirstRetryDelayMs << std::min(pending.attempts++, 20), kMaxRetryDelayMs);
  alarms_->After(pause_ms * kNanosPerMilli, [self = shared_from_this(), address] { self->Retry(address); });
}

void BestEffortCalls::Retry(const std::string& address) {
  std::shared_ptr<const Call> call;
  {
    std::lock_guard lock(mu_);
    auto it = pending_.find(address);
    if (alarms_ == nullptr || it == pending_.end()) return;
    call = std::move(it->second.calls.front());
    it->second.calls.pop_front();
  }
  Try(address, std::move(call), true);
}

void BestEffortCalls::Stop() {
  std::lock_guard lock(mu_);
  alarms_ = nullptr;
  pending_.clear();
}

}  // namespace weir

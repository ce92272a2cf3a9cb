#include "cluster/farewells.h"

#include <algorithm>

namespace weir {
namespace {

constexpr int64_t kNanosPerMilli = 1'000'000;
constexpr int64_t kTryMs = 5'000;  // how long one attempt may take
constexpr int kAttempts = 30;
constexpr int64_t kFirstPauseMs = 20;
constexpr int64_t kLongestPauseMs = 5'000;

}  // namespace

void Farewells::Try(const std::shared_ptr<const Call>& call, int attempt) {
  (*call)(CallOptions{.timeout_ms = kTryMs}, [self = shared_from_this(), call, attempt](const Status& status) {
    const bool heard = status.code() != StatusCode::kUnavailable && status.code() != StatusCode::kDeadlineExceeded;
    if (heard || attempt + 1 >= kAttempts) return;
    const int64_t pause_ms = std::min(kFirstPauseMs << std::min(attempt, 20), kLongestPauseMs);
    std::lock_guard lock(self->mu_);
    if (self->alarms_ == nullptr) return;
    self->alarms_->After(pause_ms * kNanosPerMilli, [self, call, attempt] { self->Try(call, attempt + 1); });
  });
}

void Farewells::Stop() {
  std::lock_guard lock(mu_);
  alarms_ = nullptr;
}

}  // namespace weir

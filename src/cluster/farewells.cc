#include "cluster/farewells.h"

#include <algorithm>

namespace weir {
namespace {

constexpr int64_t kFarewellMs = 5'000;  // timeout of one attempt
constexpr int kAttempts = 30;           // after these the task counts as gone for good
constexpr int64_t kFirstFarewellPauseMs = 20;
constexpr int64_t kLongestFarewellPauseMs = 5'000;
constexpr size_t kMaxKept = 1'000;

}  // namespace

void Farewells::Try(const std::string& address, std::shared_ptr<const Call> call, bool again) {
  const Call& run = *call;
  run(CallOptions{.timeout_ms = kFarewellMs}, [self = shared_from_this(), address, call, again](const Status& status) {
    const bool heard = status.code() != StatusCode::kUnavailable && status.code() != StatusCode::kDeadlineExceeded;
    if (!heard) return self->Keep(address, call, again);
    if (!again) return;
    decltype(Unheard::calls) others;
    {
      std::lock_guard lock(self->mu_);
      if (auto it = self->unheard_.find(address); it != self->unheard_.end()) {
        others = std::move(it->second.calls);
        self->unheard_.erase(it);
      }
    }
    for (const std::shared_ptr<const Call>& other : others) self->Try(address, other, false);
  });
}

void Farewells::Keep(const std::string& address, std::shared_ptr<const Call> call, bool again) {
  std::lock_guard lock(mu_);
  if (alarms_ == nullptr) return;
  auto [it, first] = unheard_.try_emplace(address);
  Unheard& unheard = it->second;
  if (unheard.calls.size() < kMaxKept) unheard.calls.push_back(std::move(call));
  if (!first && !again) return;  // the retry in progress sends it, too
  if (unheard.attempts == kAttempts) {
    unheard_.erase(it);
    return;
  }
  const int64_t pause_ms = std::min(kFirstFarewellPauseMs << std::min(unheard.attempts++, 20), kLongestFarewellPauseMs);
  alarms_->After(pause_ms * kNanosPerMilli, [self = shared_from_this(), address] { self->TryAgain(address); });
}

void Farewells::TryAgain(const std::string& address) {
  std::shared_ptr<const Call> call;
  {
    std::lock_guard lock(mu_);
    auto it = unheard_.find(address);
    if (alarms_ == nullptr || it == unheard_.end()) return;
    call = std::move(it->second.calls.front());
    it->second.calls.pop_front();
  }
  Try(address, std::move(call), true);
}

void Farewells::Stop() {
  std::lock_guard lock(mu_);
  alarms_ = nullptr;
  unheard_.clear();
}

}  // namespace weir

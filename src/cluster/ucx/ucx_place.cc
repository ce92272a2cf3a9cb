#include "cluster/ucx/ucx_place.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <random>

#include "base/clock.h"
#include "base/log.h"
#include "cluster/transport_errors.h"
#include "cluster/ucx/ucx_interfaces.h"

namespace weir {

UcxPlace::UcxPlace(int64_t peer_timeout_ms, bool forced)
    : peer_timeout_ms_(std::max<int64_t>(4, peer_timeout_ms)), forced_(forced) {}

void UcxPlace::Schedule(std::function<void()> work) {
  std::lock_guard lock(mu_);
  if (pool_ != nullptr) pool_->Schedule(std::move(work));
}

void UcxPlace::Close() {
  std::unique_ptr<ElasticPool> pool;
  {
    std::lock_guard lock(mu_);
    pool.swap(pool_);
  }
  pool = nullptr;
  {
    // Let invited peers finish connecting: see UcxWorker::Listen.
    constexpr auto kGrace = std::chrono::milliseconds(500);
    std::unique_lock lock(invited_mu_);
    come_.wait_for(lock, kGrace, [this] {
      ForgetOld();
      return invited_.empty();
    });
  }
  std::lock_guard lock(mu_);
  alarms_ = nullptr;  // first: an alarm may still use the loop
  if (worker_.has_value() && worker_->ok()) (**worker_)->Stop();
  worker_ = ProcessIsEnding();
  loop_ = nullptr;
}

int64_t UcxPlace::connect_timeout_ms() const {
  constexpr int64_t kMostMs = 5'000;
  return std::min(kMostMs, peer_timeout_ms_);
}

Result<UcxLink::Shared> UcxPlace::Shared() {
  std::lock_guard lock(mu_);
  if (!worker_.has_value()) worker_ = MakeWorker();
  WEIR_TRY(worker_->status());
  return UcxLink::Shared{*loop_, *alarms_, peer_timeout_ms_, **worker_};
}

Result<std::shared_ptr<UcxWorker>> UcxPlace::MakeWorker() {
  WEIR_ASSIGN(std::shared_ptr<const UcxLibrary> library, UcxLibrary::Load());
  loop_ = std::make_unique<HostLoop>();
  alarms_ = std::make_unique<ThreadAlarms>(RealClock());
  LookLater();
  return UcxWorker::Make(std::move(library), *loop_, UcxDevicesFor(server_hosts_));
}

// ---- invitations ----

Result<UcxInvitation> UcxInvitation::Parse(const std::string& text) {
  UcxInvitation parsed;
  const char* const end = text.data() + text.size();
  const auto port = std::from_chars(text.data(), end, parsed.port);
  if (port.ec == std::errc() && port.ptr != end && *port.ptr == ' ' && parsed.port > 0 && parsed.port <= 65535) {
    const auto number = std::from_chars(port.ptr + 1, end, parsed.number);
    if (number.ec == std::errc() && number.ptr == end) return parsed;
  }
  return Internal("the answer to {} is no invitation", kUcxMethod);
}

void UcxPlace::AddServer(const Address& address) {
  std::lock_guard lock(mu_);
  if (!address.is_unix()) server_hosts_.push_back(address.host);
}

Result<UcxInvitation> UcxPlace::Invite(const Address& address, const std::shared_ptr<LinkCalls>& calls) {
  UcxInvitation invitation;
  WEIR_ASSIGN(invitation.port, Port(address));
  std::random_device random;
  constexpr int kHalf = 32;
  invitation.number = (uint64_t{random()} << kHalf) | random();
  std::lock_guard lock(invited_mu_);
  ForgetOld();
  const int64_t end = RealClock().MonotonicNanos() + 2 * connect_timeout_ms() * kNanosPerMilli;
  invited_.insert_or_assign(invitation.number, Invited{calls, end});
  return invitation;
}

Result<int> UcxPlace::Port(const Address& address) {
  if (address.is_unix()) return FailedPrecondition("UCX cannot listen at {}", address.ToString());
  WEIR_ASSIGN(const UcxLink::Shared shared, Shared());
  WEIR_ASSIGN(const SocketAddress name, UcxListenName(address.host));
  std::lock_guard lock(mu_);
  if (const auto known = ports_.find(address.host); known != ports_.end()) return known->second;
  const auto accept = [this, shared]() -> std::shared_ptr<UcxLink> {
    {
      std::lock_guard invited_lock(invited_mu_);
      ForgetOld();
      if (invited_.empty()) return nullptr;
    }
    return std::make_shared<UcxLink>(shared, [this](uint64_t number) { return Greeted(number); });
  };
  WEIR_ASSIGN(const int port, shared.worker->Listen(name.get(), name.size, accept));
  ports_[address.host] = port;
  return port;
}

std::shared_ptr<LinkCalls> UcxPlace::Greeted(uint64_t number) {
  std::lock_guard lock(invited_mu_);
  const auto it = invited_.find(number);
  if (it == invited_.end()) return nullptr;
  std::shared_ptr<LinkCalls> calls = it->second.calls.lock();
  invited_.erase(it);
  come_.notify_all();
  return calls;
}

// REQUIRES: invited_mu_ is held.
void UcxPlace::ForgetOld() {
  const int64_t now = RealClock().MonotonicNanos();
  std::erase_if(invited_, [now](const auto& entry) { return entry.second.end_nanos < now; });
}

// Schedules the next check. The interval is short enough that pings of a waiting peer are answered in time even if a
// handler blocks the loop.
void UcxPlace::LookLater() {
  alarms_->After(std::max<int64_t>(1, peer_timeout_ms_ / 8) * kNanosPerMilli, [this] {
    loop_->Look();
    LookLater();
  });
}

void UcxPlace::SayWhyNot(std::string_view whom, const Status& why) {
  if (said_why_not_.exchange(true)) return;
  if (forced_) {
    LogWarning("UCX is not used to talk to {}, gRPC is: {}", whom, std::string(why.message()));
  } else {
    LogInfo("UCX is not used to talk to {}, gRPC is: {}", whom, std::string(why.message()));
  }
}

void UcxPlace::SayItIsUsed(std::string_view whom) {
  if (!said_it_is_.exchange(true)) LogInfo("UCX is used to talk to {}, and to others that have it", whom);
}

}  // namespace weir

#include "cluster/ucx/ucx_runtime.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <random>

#include "absl/strings/str_split.h"
#include "base/clock.h"
#include "base/log.h"
#include "cluster/transport_errors.h"
#include "cluster/ucx/ucx_interfaces.h"

namespace weir {

UcxRuntime::UcxRuntime(const TransportSettings& settings) : settings_(WithUsableTimeout(settings)) {}

void UcxRuntime::Schedule(std::function<void()> work) {
  std::lock_guard lock(mu_);
  if (pool_ != nullptr) pool_->Schedule(std::move(work));
}

void UcxRuntime::Close() {
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
    invitation_used_.wait_for(lock, kGrace, [this] {
      DropExpiredInvitations();
      return invited_.empty();
    });
  }
  std::lock_guard lock(mu_);
  alarms_ = nullptr;  // first: an alarm may still use the loop
  if (worker_.has_value() && worker_->ok()) (**worker_)->Stop();
  worker_ = ProcessIsEnding();
  loop_ = nullptr;
}

int64_t UcxRuntime::connect_timeout_ms() const {
  constexpr int64_t kMostMs = 5'000;
  return std::min(kMostMs, settings_.peer_timeout_ms);
}

Result<UcxLink::Shared> UcxRuntime::Shared() {
  std::lock_guard lock(mu_);
  if (!worker_.has_value()) worker_ = MakeWorker();
  WEIR_TRY(worker_->status());
  return UcxLink::Shared{*loop_, *alarms_, settings_, **worker_};
}

Result<std::shared_ptr<UcxWorker>> UcxRuntime::MakeWorker() {
  WEIR_ASSIGN(std::shared_ptr<const UcxLibrary> library, UcxLibrary::Load());
  WEIR_ASSIGN(const std::string devices, UcxDevicesFor(server_hosts_));
  loop_ = std::make_unique<EpollLoop>();
  alarms_ = std::make_unique<ThreadAlarms>(RealClock());
  CheckPeriodically(*alarms_, settings_.peer_timeout_ms, [loop = loop_.get()] { loop->CheckForStall(); });
  return UcxWorker::Make(std::move(library), *loop_, devices);
}

// ---- invitations ----

Result<UcxInvitation> UcxInvitation::Parse(const std::string& text) {
  UcxInvitation parsed;
  const std::vector<absl::string_view> words = absl::StrSplit(text, ' ');
  const auto reads = [&](size_t i, auto* number) {
    const char* const end = words[i].data() + words[i].size();
    const auto [read, error] = std::from_chars(words[i].data(), end, *number);
    return error == std::errc() && read == end;
  };
  if (words.size() == 2 && reads(0, &parsed.port) && reads(1, &parsed.number) && parsed.port > 0 &&
      parsed.port <= 65535)
    return parsed;
  return Internal("the response to {} is not a valid invitation", kUcxMethod);
}

void UcxRuntime::AddServer(const Address& address) {
  std::lock_guard lock(mu_);
  if (!address.is_unix()) server_hosts_.push_back(address.host);
}

Result<UcxInvitation> UcxRuntime::Invite(const Address& address, const std::shared_ptr<IncomingLinkCalls>& calls) {
  if (address.is_unix()) return FailedPrecondition("UCX cannot listen at {}", address.ToString());
  UcxInvitation invitation;
  WEIR_ASSIGN(const SocketAddress name, UcxListenAddress(address.host));
  WEIR_ASSIGN(invitation.port, Port(address, name));
  std::random_device random;
  constexpr int kHalf = 32;
  invitation.number = (uint64_t{random()} << kHalf) | random();
  std::lock_guard lock(invited_mu_);
  DropExpiredInvitations();
  const int64_t end = RealClock().MonotonicNanos() + 2 * connect_timeout_ms() * kNanosPerMilli;
  invited_.insert_or_assign(invitation.number, Invited{calls, end});
  return invitation;
}

Result<int> UcxRuntime::Port(const Address& address, const SocketAddress& name) {
  WEIR_ASSIGN(const UcxLink::Shared shared, Shared());
  std::lock_guard lock(mu_);
  if (const auto known = ports_.find(address.host); known != ports_.end()) return known->second;
  const auto accept = [this, shared]() -> std::shared_ptr<UcxLink> {
    {
      std::lock_guard invited_lock(invited_mu_);
      DropExpiredInvitations();
      if (invited_.empty()) return nullptr;
    }
    return std::make_shared<UcxLink>(shared, [this](uint64_t number) { return RedeemInvitation(number); });
  };
  WEIR_ASSIGN(const int port, shared.worker->Listen(name.get(), name.size, accept));
  ports_[address.host] = port;
  return port;
}

std::shared_ptr<IncomingLinkCalls> UcxRuntime::RedeemInvitation(uint64_t number) {
  std::lock_guard lock(invited_mu_);
  const auto it = invited_.find(number);
  if (it == invited_.end()) return nullptr;
  std::shared_ptr<IncomingLinkCalls> calls = it->second.calls.lock();
  invited_.erase(it);
  invitation_used_.notify_all();
  return calls;
}

// REQUIRES: invited_mu_ is held.
void UcxRuntime::DropExpiredInvitations() {
  const int64_t now = RealClock().MonotonicNanos();
  std::erase_if(invited_, [now](const auto& entry) { return entry.second.end_nanos < now; });
}

void UcxRuntime::LogNotUsed(std::string_view peer, const Status& why) {
  if (logged_not_used_.exchange(true)) return;
  if (settings_.force_ucx) {
    LogWarning("not using UCX for calls to {} (using gRPC instead): {}", peer, std::string(why.message()));
  } else {
    LogInfo("not using UCX for calls to {} (using gRPC instead): {}", peer, std::string(why.message()));
  }
}

void UcxRuntime::LogUsed(std::string_view peer) {
  if (!logged_used_.exchange(true)) LogInfo("using UCX for calls to {}, and to other tasks that support it", peer);
}

}  // namespace weir

#include "cluster/ucx/ucx_channel.h"

#include <chrono>

#include "base/clock.h"
#include "cluster/resolve.h"
#include "cluster/transport_errors.h"

namespace weir {
namespace {

bool WantsUcx(const std::string& text, bool forced) {
  const Result<Address> address = Address::Parse(text);
  return address.ok() && !address->is_unix() && (forced || AddressesOnHost(text).empty());
}

}  // namespace

UcxChannel::UcxChannel(std::string address, std::shared_ptr<UcxRuntime> runtime,
                       std::function<std::shared_ptr<Channel>()> other)
    : address_(std::move(address)),
      wanted_(WantsUcx(address_, runtime->settings().force_ucx)),
      runtime_(std::move(runtime)),
      make_other_(std::move(other)) {}

UcxChannel::~UcxChannel() {
  if (caller_ != nullptr) caller_->CloseAfterLastCall();
}

void UcxChannel::Call(const std::string& method, Rope request, const CallOptions& options, Done done) {
  if (wanted_) {
    const std::shared_ptr<LinkCaller> caller = Caller();
    if (caller != nullptr && caller->Call(method, request, options, done)) return;
  }
  const std::shared_ptr<Channel> other = runtime_->callers().closed() ? nullptr : Other();
  if (other == nullptr) return done(ProcessIsEnding());
  if (!wanted_) return other->Call(method, std::move(request), options, std::move(done));
  other->Call(method, std::move(request), options, [weak = weak_from_this(), done = std::move(done)](Result<Rope> r) {
    // A lost peer may come back as another process.
    if (r.status().code() == StatusCode::kUnavailable) {
      if (const std::shared_ptr<UcxChannel> alive = weak.lock()) {
        std::lock_guard lock(alive->mu_);
        alive->may_ask_ = true;
      }
    }
    done(std::move(r));
  });
}

std::shared_ptr<Channel> UcxChannel::Other() {
  std::lock_guard lock(mu_);
  if (other_ == nullptr) other_ = make_other_();
  return other_;
}

std::shared_ptr<LinkCaller> UcxChannel::Caller() {
  {
    std::lock_guard lock(mu_);
    if (caller_ != nullptr && caller_->IsConnected()) return caller_;
    if (state_ == State::kConnected) state_ = State::kNotAsked;
    caller_ = nullptr;
    if (state_ == State::kAsking || runtime_->callers().closed()) return nullptr;
    if (state_ == State::kRefused && (!may_ask_ || RealClock().MonotonicNanos() < not_before_nanos_)) return nullptr;
    state_ = State::kAsking;
    may_ask_ = false;
  }
  if (const std::shared_ptr<Channel> other = Other()) {
    Ask(other);
  } else {
    Refused(ProcessIsEnding());
  }
  return nullptr;
}

void UcxChannel::Ask(const std::shared_ptr<Channel>& other) {
  other->Call(kUcxMethod, Rope(), {.timeout_ms = runtime_->connect_timeout_ms()},
              [weak = weak_from_this(), runtime = runtime_](Result<Rope> answer) {
                const std::shared_ptr<UcxChannel> alive = weak.lock();
                if (alive == nullptr) return;
                if (!answer.ok()) return alive->Refused(answer.status());
                constexpr size_t kMostBytes = 100;
                const Result<UcxInvitation> invitation =
                    UcxInvitation::Parse(answer->size() <= kMostBytes ? answer->Flatten() : "");
                if (!invitation.ok()) return alive->Refused(invitation.status());
                runtime->Schedule([weak, invitation = *invitation] {
                  if (const std::shared_ptr<UcxChannel> alive = weak.lock()) alive->Connect(invitation);
                });
              });
}

void UcxChannel::Refused(const Status& why) {
  constexpr int64_t kPauseMs = 100;
  // Do not warn about a peer that cannot be reached. Warn about a peer that is not Weir only if UCX is forced.
  const bool is_absent = why.code() == StatusCode::kUnavailable || why.code() == StatusCode::kDeadlineExceeded ||
                         why.code() == StatusCode::kCancelled;
  const bool is_other = why.code() == StatusCode::kUnimplemented;
  if (!is_absent && (!is_other || runtime_->settings().force_ucx)) runtime_->LogNotUsed(address_, why);
  std::lock_guard lock(mu_);
  state_ = State::kRefused;
  may_ask_ = may_ask_ || is_absent;
  not_before_nanos_ = RealClock().MonotonicNanos() + kPauseMs * kNanosPerMilli;
  changed_.notify_all();
}

void UcxChannel::Connect(const UcxInvitation& invitation) {
  const Result<UcxLink::Shared> shared = runtime_->Shared();
  if (!shared.ok()) return Refused(shared.status());
  const Result<Address> address = Address::Parse(address_);
  const Result<std::vector<SocketAddress>> found = Resolve(address->host, invitation.port);
  if (!found.ok()) return Refused(FailedPrecondition("cannot resolve its address"));
  Status status = Unavailable("the host has no IPv4 address");
  for (const SocketAddress& candidate : *found) {
    if (candidate.family() != AF_INET) continue;  // see UcxListenAddress
    std::shared_ptr<UcxLink> link;
    const std::shared_ptr<LinkCaller> caller = runtime_->callers().Add([&](std::unique_ptr<LinkHandler> end) {
      link = std::make_shared<UcxLink>(*shared, std::move(end));
      return link;
    });
    if (caller == nullptr) return Refused(ProcessIsEnding());
    status = shared->worker->Connect(link, candidate.get(), candidate.size);
    if (status.ok()) status = link->ExchangeHello(invitation.number, runtime_->connect_timeout_ms());
    if (!status.ok()) {
      link->Break(status);
      continue;
    }
    runtime_->LogUsed(address_);
    std::lock_guard lock(mu_);
    state_ = State::kConnected;
    caller_ = caller;
    changed_.notify_all();
    return;
  }
  if (runtime_->callers().closed()) return Refused(ProcessIsEnding());
  Refused(FailedPrecondition("cannot connect to its UCX port {}: {}", invitation.port, std::string(status.message())));
}

bool UcxChannel::WaitUntilConnected(int64_t timeout_ms) {
  if (wanted_) Caller();
  std::unique_lock lock(mu_);
  changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms), [&] { return state_ != State::kAsking; });
  return state_ == State::kConnected;
}

}  // namespace weir

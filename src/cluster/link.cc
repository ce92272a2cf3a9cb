#include "cluster/link.h"

#include <algorithm>
#include <bit>

#include "base/clock.h"
#include "base/log.h"
#include "cluster/transport_errors.h"

namespace weir {
namespace {

int64_t LinkNanos() { return RealClock().MonotonicNanos(); }

}  // namespace

// ---- signs of life ----

Link::Link(std::unique_ptr<LinkHandler> end, Alarms& alarms, const TransportSettings& settings)
    : alarms_(alarms), peer_timeout_ms_(settings.peer_timeout_ms), last_activity_nanos_(LinkNanos()) {
  if (end != nullptr) set_link_handler(std::move(end));
}

void Link::set_link_handler(std::unique_ptr<LinkHandler> end) {
  link_handler_ = std::move(end);
  link_handler_->link_ = this;
}

void Link::RecordActivity() {
  last_activity_nanos_ = LinkNanos();
  pinged_ = false;
}

void Link::BeginCall() {
  ++open_calls_;
  if (!watched_.exchange(true)) WatchLater(std::max<int64_t>(1, peer_timeout_ms_ / 4) * kNanosPerMilli);
}

void Link::WatchLater(int64_t nanos) {
  alarms_.After(nanos, [weak = std::weak_ptr(self()), due = LinkNanos() + nanos] {
    if (const std::shared_ptr<Link> alive = weak.lock()) alive->Watch(due);
  });
}

void Link::Watch(int64_t due_nanos) {
  if (!IsConnected()) return;
  if (open_calls_ == 0) {
    watched_ = false;
    // A BeginCall in between saw watched_ == true and scheduled nothing.
    if (open_calls_ == 0 || watched_.exchange(true)) return;
  }
  const int64_t timeout = peer_timeout_ms_ * kNanosPerMilli;
  const int64_t quarter = std::max<int64_t>(1, peer_timeout_ms_ / 4) * kNanosPerMilli;
  const int64_t now = LinkNanos();
  // If the alarm came late, this process was suspended itself, and the peer's silence proves nothing.
  const bool slept = now - due_nanos > quarter;
  const int64_t silent = now - last_activity_nanos_;
  if (silent >= timeout && pinged_ && !slept) return Break(LostPeer(peer_timeout_ms_));
  if (silent >= quarter && !pinged_.exchange(true)) Ping();
  WatchLater(quarter);
}

// ---- LinkCaller ----

bool LinkCaller::Call(const std::string& method, Rope& request, const CallOptions& options, Channel::Done& done) {
  const std::shared_ptr<LinkCaller> kept = self();
  uint64_t id = 0;
  Status cancelled;
  {
    std::lock_guard lock(mu_);
    if (lost_) return false;
    id = next_++;
    PendingCall open{nullptr, options.cancel, 0, 0};
    std::weak_ptr<LinkCaller> weak = kept;
    if (options.cancel != nullptr) {
      open.registration = options.cancel->Register([weak, id, token = options.cancel] {
        if (const std::shared_ptr<LinkCaller> alive = weak.lock()) alive->PostEnd(id, token->reason());
      });
      if (open.registration == 0) cancelled = options.cancel->reason();
    }
    if (cancelled.ok()) {
      if (options.timeout_ms > 0) {
        open.alarm = link().alarms().After(options.timeout_ms * kNanosPerMilli, [weak, id] {
          if (const std::shared_ptr<LinkCaller> alive = weak.lock())
            alive->PostEnd(id, DeadlineExceeded("no response within the timeout of the call"));
        });
      }
      open.done = std::move(done);
      open_.emplace(id, std::move(open));
    }
  }
  if (!cancelled.ok()) {
    done(cancelled);
    return true;
  }
  link().BeginCall();
  // If it fails, OnBroken ends this call like all others.
  link().SendMessage({.kind = LinkMessage::kCall, .id = id}, method, std::move(request));
  return true;
}

void LinkCaller::OnMessage(const LinkMessage& message, Result<Rope> payload) {
  if (message.kind == LinkMessage::kError && payload.ok())
    payload = MakeStatus(static_cast<StatusCode>(message.code), payload->Flatten());
  End(message.id, std::move(payload), /*tell_peer=*/false);
}

void LinkCaller::End(uint64_t id, Result<Rope> result, bool tell_peer) {
  PendingCall open;
  std::shared_ptr<void> counted;
  bool last = false;
  {
    std::lock_guard lock(mu_);
    auto it = open_.find(id);
    if (it == open_.end()) return;
    open = std::move(it->second);
    open_.erase(it);
    counted = ending_->Enter();
    last = left_ && open_.empty();
  }
  if (tell_peer) link().SendMessage({.kind = LinkMessage::kCancel, .id = id}, "", Rope());
  Finish(std::move(open), std::move(result));
  if (last) Break(Cancelled("the channel was closed"));
}

// Ends the call from the event loop. Use it in cancel callbacks and alarms: ending inline runs `done`, which could
// destroy the token that is being cancelled.
void LinkCaller::PostEnd(uint64_t id, Status reason) {
  link().Post([kept = self(), id, reason = std::move(reason)] { kept->End(id, reason, /*tell_peer=*/true); });
}

void LinkCaller::CloseAfterLastCall() {
  {
    std::lock_guard lock(mu_);
    left_ = true;
    if (!open_.empty()) return;
  }
  Break(Cancelled("the channel was closed"));
}

void LinkCaller::Finish(PendingCall open, Result<Rope> result) {
  link().EndCall();
  if (open.token != nullptr) open.token->Unregister(open.registration);
  if (open.alarm != 0) link().alarms().Cancel(open.alarm);
  open.done(std::move(result));
}

void LinkCaller::OnBroken(const Status& reason) {
  std::unordered_map<uint64_t, PendingCall> open;
  {
    std::lock_guard lock(mu_);
    lost_ = true;
    open.swap(open_);
  }
  for (auto& [id, call] : open) Finish(std::move(call), reason);
  link_in_flight_ = nullptr;
}

// ---- OutgoingLinks ----

std::shared_ptr<LinkCaller> OutgoingLinks::Add(const Make& make) {
  std::lock_guard lock(mu_);
  if (closed_) return nullptr;
  auto end = std::make_unique<LinkCaller>(ending_);
  LinkCaller* const raw = end.get();
  std::shared_ptr<Link> link = make(std::move(end));
  if (link == nullptr) return nullptr;
  std::shared_ptr<LinkCaller> caller(std::move(link), raw);
  std::erase_if(all_, [](const std::weak_ptr<LinkCaller>& weak) { return weak.expired(); });
  all_.push_back(caller);
  return caller;
}

void OutgoingLinks::Close() {
  std::vector<std::shared_ptr<LinkCaller>> callers;
  {
    std::lock_guard lock(mu_);
    closed_ = true;
    for (const std::weak_ptr<LinkCaller>& weak : all_) {
      if (std::shared_ptr<LinkCaller> alive = weak.lock()) callers.push_back(std::move(alive));
    }
  }
  for (const std::shared_ptr<LinkCaller>& caller : callers) caller->Break(ProcessIsEnding());
  callers.clear();
  ending_->WaitForNone();
}

// ---- LinkCallee ----

class LinkCallee::Incoming final : public IncomingCall {
 public:
  Incoming(std::shared_ptr<LinkCallee> callee, uint64_t id, std::string method)
      : id_(id),
        method_(std::move(method)),
        caller_(callee->peer_),
        counted_(callee->calls_->in_flight_.Enter()),
        callee_(std::move(callee)) {}
  const std::string& method() const override { return method_; }
  const Rope& request() const override { return request_; }
  Rope TakeRequest() override { return std::move(request_); }
  bool single_message_is_cheap() const override { return callee_->link().single_message_is_cheap(); }
  CancelToken& cancel() override { return cancel_; }
  const PeerIdentity& caller() const override { return *caller_; }
  void Respond(Result<Rope> response) override {
    if (answered_.exchange(true)) return;
    callee_->Respond(id_, std::move(response));
    // A handler may keep the call after its response: that must keep neither the connection nor the listener alive.
    callee_ = nullptr;
    counted_ = nullptr;
  }
  void set_request(Rope request) { request_ = std::move(request); }

  bool request_complete = false;  // the request is complete; guarded by mu_ of the callee
  bool refused = false;           // there are too many calls; set once

 private:
  const uint64_t id_;
  const std::string method_;
  Rope request_;
  const std::shared_ptr<const PeerIdentity> caller_;
  CancelToken cancel_;
  std::atomic<bool> answered_{false};
  std::shared_ptr<void> counted_;
  std::shared_ptr<LinkCallee> callee_;
};

void LinkCallee::OnMessageStart(const LinkMessage& message, std::string method) {
  const bool is_call = message.kind == LinkMessage::kCall;
  std::shared_ptr<Incoming> call;
  Status closed;
  {
    std::lock_guard lock(mu_);
    if (refuses_calls_) return;
    if (is_call) {
      call = std::make_shared<Incoming>(self(), message.id, std::move(method));
      call->refused = open_.size() >= most_calls();
      if (!open_.emplace(message.id, call).second) return;
      closed = closed_;
    } else {
      auto it = open_.find(message.id);
      if (it == open_.end()) return;
      call = it->second;
      closed = CallerIsGone();
    }
  }
  if (is_call) link().BeginCall();
  if (!closed.ok()) call->cancel().Cancel(closed);
}

void LinkCallee::OnMessage(const LinkMessage& message, Result<Rope> payload) {
  if (message.kind != LinkMessage::kCall) return;
  std::shared_ptr<Incoming> call;
  {
    std::lock_guard lock(mu_);
    auto it = open_.find(message.id);
    if (it == open_.end() || it->second->request_complete) return;
    call = it->second;
    call->request_complete = true;
  }
  if (call->refused) return call->Respond(calls_->limits_.Reached(Limit::kStreams, peer_->key()));
  if (!payload.ok()) return call->Respond(payload.status());
  call->set_request(*std::move(payload));
  calls_->handler_(std::move(call));
}

void LinkCallee::Respond(uint64_t id, Result<Rope> response) {
  {
    std::lock_guard lock(mu_);
    open_.erase(id);
  }
  link().EndCall();
  if (response.ok()) {
    link().SendMessage({.kind = LinkMessage::kAnswer, .id = id}, "", *std::move(response));
    return;
  }
  const Status& status = response.status();
  link().SendMessage({.kind = LinkMessage::kError, .code = static_cast<uint32_t>(status.code()), .id = id}, "",
                     Rope(std::string(status.message()).substr(0, kMaxErrorText)));
}

void LinkCallee::CancelAll(const Status& reason) {
  std::vector<std::shared_ptr<Incoming>> calls;
  {
    std::lock_guard lock(mu_);
    closed_ = reason;
    for (const auto& [id, call] : open_) calls.push_back(call);
  }
  for (const std::shared_ptr<Incoming>& call : calls) call->cancel().Cancel(reason);
}

void LinkCallee::StopAccepting() {
  std::lock_guard lock(mu_);
  refuses_calls_ = true;
}

void LinkCallee::OnBroken(const Status&) {
  std::vector<std::shared_ptr<Incoming>> never_come;
  {
    std::lock_guard lock(mu_);
    refuses_calls_ = true;
    for (const auto& [id, call] : open_) {
      if (!call->request_complete) never_come.push_back(call);
    }
  }
  CancelAll(CallerIsGone());
  for (const std::shared_ptr<Incoming>& call : never_come) call->Respond(CallerIsGone());
}

// ---- IncomingLinkCalls ----

bool IncomingLinkCalls::Add(const std::shared_ptr<Link>& link, LinkCallee* callee) {
  std::lock_guard lock(mu_);
  if (closed_) return false;
  std::erase_if(callees_, [](const std::weak_ptr<LinkCallee>& weak) { return weak.expired(); });
  if (callees_.size() >= static_cast<size_t>(limits_[Limit::kConnections])) {
    // A line for the 1st, 2nd, 4th, 8th and so on: callers could fill the log.
    if (std::has_single_bit(++num_refused_))
      LogWarning("Refused: {}", std::string(limits_.Reached(Limit::kConnections, transport_ + " sockets").message()));
    return false;
  }
  callees_.push_back(std::shared_ptr<LinkCallee>(link, callee));
  return true;
}

void IncomingLinkCalls::Close() {
  std::vector<std::shared_ptr<LinkCallee>> callees;
  {
    std::lock_guard lock(mu_);
    closed_ = true;
    for (const std::weak_ptr<LinkCallee>& weak : callees_) {
      if (std::shared_ptr<LinkCallee> alive = weak.lock()) callees.push_back(std::move(alive));
    }
  }
  for (const std::shared_ptr<LinkCallee>& callee : callees) callee->CancelAll(ServerIsStopping());
}

void IncomingLinkCalls::Drain() {
  in_flight_.WaitForNone();
  std::vector<std::weak_ptr<LinkCallee>> callees;
  {
    std::lock_guard lock(mu_);
    callees.swap(callees_);
  }
  constexpr int64_t kGraceMs = 200;
  for (const std::weak_ptr<LinkCallee>& weak : callees) {
    const std::shared_ptr<LinkCallee> alive = weak.lock();
    if (alive == nullptr) continue;
    alive->link().WaitUntilSent(kGraceMs);
    alive->StopAccepting();
    alive->link().Break(ServerIsStopping());
  }
  in_flight_.WaitForNone();  // calls that began after the first wait
}

}  // namespace weir

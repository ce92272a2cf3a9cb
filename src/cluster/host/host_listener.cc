#include "cluster/host/host_listener.h"

#include <algorithm>
#include <atomic>
#include <cerrno>

#include "base/log.h"
#include "cluster/transport_errors.h"

namespace weir {
// ---- HostCallee ----

class HostCallee::Incoming final : public IncomingCall {
 public:
  Incoming(std::shared_ptr<HostCallee> callee, uint64_t id, std::string method)
      : id_(id), method_(std::move(method)), counted_(callee->calls_->in_flight.Enter()), callee_(std::move(callee)) {}
  const std::string& method() const override { return method_; }
  const Rope& request() const override { return request_; }
  Rope TakeRequest() override { return std::move(request_); }
  bool takes_whole() const override { return callee_->lends(); }
  CancelToken& cancel() override { return cancel_; }
  void Respond(Result<Rope> response) override {
    if (answered_.exchange(true)) return;
    callee_->Respond(id_, std::move(response));
    // Whoever keeps the call keeps neither the connection nor the listener.
    callee_ = nullptr;
    counted_ = nullptr;
  }
  void set_request(Rope request) { request_ = std::move(request); }

 private:
  const uint64_t id_;
  const std::string method_;
  Rope request_;
  CancelToken cancel_;
  std::atomic<bool> answered_{false};
  std::shared_ptr<void> counted_;
  std::shared_ptr<HostCallee> callee_;
};

void HostCallee::Began(const HostHead& head, std::string method) {
  std::shared_ptr<Incoming> call;
  Status closed;
  {
    std::lock_guard lock(mu_);
    if (head.kind == HostHead::kCall) {
      call = std::make_shared<Incoming>(std::static_pointer_cast<HostCallee>(shared_from_this()), head.id,
                                        std::move(method));
      if (!open_.emplace(head.id, call).second) return;
      closed = closed_;
    } else {
      auto it = open_.find(head.id);
      if (it == open_.end()) return;
      call = it->second;
      closed = CallerIsGone();
    }
  }
  if (head.kind == HostHead::kCall) BeginWait();
  if (!closed.ok()) call->cancel().Cancel(closed);
}

void HostCallee::Came(const HostHead& head, Result<Rope> payload) {
  std::shared_ptr<Incoming> call;
  {
    std::lock_guard lock(mu_);
    auto it = open_.find(head.id);
    if (it == open_.end()) return;
    call = it->second;
  }
  if (!payload.ok()) return call->Respond(payload.status());
  call->set_request(*std::move(payload));
  calls_->handler(std::move(call));
}

void HostCallee::Respond(uint64_t id, Result<Rope> response) {
  {
    std::lock_guard lock(mu_);
    open_.erase(id);
  }
  EndWait();
  if (response.ok()) {
    Send({.kind = HostHead::kAnswer, .id = id}, "", *std::move(response));
    return;
  }
  const Status& status = response.status();
  Send({.kind = HostHead::kError, .code = static_cast<uint32_t>(status.code()), .id = id}, "",
       Rope(std::string(status.message()).substr(0, kMaxErrorText)));
}

void HostCallee::CancelAll(const Status& reason) {
  std::vector<std::shared_ptr<Incoming>> calls;
  {
    std::lock_guard lock(mu_);
    closed_ = reason;
    for (const auto& [id, call] : open_) calls.push_back(call);
  }
  for (const std::shared_ptr<Incoming>& call : calls) call->cancel().Cancel(reason);
}

void HostCallee::Broken(const Status&) { CancelAll(CallerIsGone()); }

void HostCallee::Close() { CancelAll(ServerIsStopping()); }

// ---- HostListener ----

// Where processes of the host knock.
class HostListener::Door final : public HostLoop::Watcher {
 public:
  Door(const HostLink::Shared& shared, OwnedFd fd, std::shared_ptr<HostCalls> calls)
      : shared_(shared), fd_(std::move(fd)), id_(shared.loop.NewId()), calls_(std::move(calls)) {}
  void Open(const std::shared_ptr<Door>& self) {
    self_ = self;
    shared_.loop.Add(id_, fd_.get(), self);
  }
  void Close() {
    std::lock_guard lock(mu_);
    shared_.loop.Remove(id_, fd_.get());
    fd_ = OwnedFd();
  }
  void Ready(bool, bool) override {
    std::lock_guard lock(mu_);
    if (!fd_.valid()) return;
    OwnedFd fd = AcceptOnHost(fd_.get());
    if (!fd.valid()) {
      if (errno != EAGAIN && errno != EWOULDBLOCK) Pause();
      return;
    }
    auto callee = std::make_shared<HostCallee>(shared_, std::move(fd), calls_);
    {
      std::lock_guard calls_lock(calls_->mu);
      if (calls_->closed) return;
      std::erase_if(calls_->callees, [](const std::weak_ptr<HostCallee>& weak) { return weak.expired(); });
      calls_->callees.push_back(callee);
    }
    callee->Start();
  }

 private:
  // Where the process has no descriptors left, asking at once again and again would not make any.
  void Pause() {
    constexpr int64_t kPauseMs = 100;
    shared_.loop.Remove(id_, fd_.get());
    shared_.alarms.After(kPauseMs * kNanosPerMilli, [weak = self_] {
      const std::shared_ptr<Door> self = weak.lock();
      if (self == nullptr) return;
      std::lock_guard lock(self->mu_);
      if (self->fd_.valid()) self->shared_.loop.Add(self->id_, self->fd_.get(), self);
    });
  }

  const HostLink::Shared shared_;
  std::weak_ptr<Door> self_;
  std::mutex mu_;
  OwnedFd fd_;
  const HostLoop::Id id_;
  const std::shared_ptr<HostCalls> calls_;
};

HostListener::HostListener(const HostLink::Shared& shared, const Address& address, std::unique_ptr<Listener> other)
    : shared_(shared), port_(other->port()), other_(std::move(other)) {
  Address bound = address;
  bound.port = port_;
  for (const std::string& numeric : NumericAddresses(bound)) {
    OwnedFd fd = ListenOnHost(numeric);
    if (fd.valid()) {
      doors_.push_back(std::make_shared<Door>(shared_, std::move(fd), calls_));
    } else {
      LogWarning("the name of {} for processes of this host is taken: they will use gRPC", numeric);
    }
  }
}

HostListener::~HostListener() {
  for (const std::shared_ptr<Door>& door : doors_) door->Close();
  std::vector<std::shared_ptr<HostCallee>> callees;
  {
    std::lock_guard lock(calls_->mu);
    calls_->closed = true;
    for (const std::weak_ptr<HostCallee>& weak : calls_->callees) {
      if (std::shared_ptr<HostCallee> alive = weak.lock()) callees.push_back(std::move(alive));
    }
  }
  for (const std::shared_ptr<HostCallee>& callee : callees) callee->Close();
  other_ = nullptr;
  calls_->in_flight.WaitForNone();
  constexpr int64_t kGraceMs = 200;
  for (const std::shared_ptr<HostCallee>& callee : callees) {
    callee->WaitUntilSent(kGraceMs);
    callee->Break(ServerIsStopping());
  }
}

void HostListener::Serve(CallHandler handler) {
  calls_->handler = handler;
  for (const std::shared_ptr<Door>& door : doors_) door->Open(door);
  other_->Serve(std::move(handler));
}

}  // namespace weir

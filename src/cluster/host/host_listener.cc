#include "cluster/host/host_listener.h"

#include <cerrno>

#include "base/log.h"
#include "cluster/host/host_socket.h"
#include "cluster/resolve.h"

namespace weir {

// A listening socket.
class HostListener::ListeningSocket final : public EpollLoop::Watcher {
 public:
  ListeningSocket(const HostLink::Shared& shared, OwnedFd fd, std::shared_ptr<IncomingLinkCalls> calls)
      : shared_(shared), fd_(std::move(fd)), id_(shared.loop.NewId()), calls_(std::move(calls)) {}
  void Open(const std::shared_ptr<ListeningSocket>& self) {
    self_ = self;
    shared_.loop.Add(id_, fd_.get(), self);
  }
  void Close() {
    std::lock_guard lock(mu_);
    shared_.loop.Remove(id_, fd_.get());
    fd_ = OwnedFd();
  }
  void OnReady(bool, bool) override {
    std::lock_guard lock(mu_);
    if (!fd_.valid()) return;
    OwnedFd fd = AcceptOnHost(fd_.get());
    if (!fd.valid()) {
      if (errno != EAGAIN && errno != EWOULDBLOCK) Pause();
      return;
    }
    auto callee = std::make_unique<LinkCallee>(calls_);
    LinkCallee* const end = callee.get();
    auto link = std::make_shared<HostLink>(shared_, std::move(fd), std::move(callee));
    if (calls_->Add(link, end)) link->Start();
  }

 private:
  // If the process has no descriptors left, accepting again at once would only spin.
  void Pause() {
    constexpr int64_t kPauseMs = 100;
    shared_.loop.Remove(id_, fd_.get());
    shared_.alarms.After(kPauseMs * kNanosPerMilli, [weak = self_] {
      const std::shared_ptr<ListeningSocket> self = weak.lock();
      if (self == nullptr) return;
      std::lock_guard lock(self->mu_);
      if (self->fd_.valid()) self->shared_.loop.Add(self->id_, self->fd_.get(), self);
    });
  }

  const HostLink::Shared shared_;
  std::weak_ptr<ListeningSocket> self_;
  std::mutex mu_;
  OwnedFd fd_;
  const EpollLoop::Id id_;
  const std::shared_ptr<IncomingLinkCalls> calls_;
};

HostListener::HostListener(const HostLink::Shared& shared, const Address& address, std::unique_ptr<Listener> other)
    : shared_(shared), port_(other->port()), other_(std::move(other)) {
  Address bound = address;
  bound.port = port_;
  for (const std::string& numeric : NumericAddresses(bound)) {
    OwnedFd fd = ListenOnHost(numeric);
    if (fd.valid()) {
      sockets_.push_back(std::make_shared<ListeningSocket>(shared_, std::move(fd), calls_));
    } else {
      LogWarning(
          "cannot listen for processes of this host at the abstract socket for {} (name in use): they will use gRPC",
          numeric);
    }
  }
}

HostListener::~HostListener() {
  for (const std::shared_ptr<ListeningSocket>& listening : sockets_) listening->Close();
  calls_->Close();
  other_ = nullptr;
  calls_->Drain();
}

void HostListener::Serve(CallHandler handler) {
  calls_->set_handler(handler);
  for (const std::shared_ptr<ListeningSocket>& listening : sockets_) listening->Open(listening);
  other_->Serve(std::move(handler));
}

}  // namespace weir

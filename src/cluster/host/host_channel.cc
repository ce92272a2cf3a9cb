#include "cluster/host/host_channel.h"

#include "cluster/host/host_socket.h"
#include "cluster/resolve.h"
#include "cluster/transport_errors.h"

namespace weir {

HostChannel::HostChannel(std::string address, std::shared_ptr<OutgoingLinks> callers,
                         std::function<HostLink::Shared()> shared, std::function<std::shared_ptr<Channel>()> other)
    : address_(std::move(address)),
      on_host_(AddressesOnHost(address_)),
      callers_(std::move(callers)),
      shared_(std::move(shared)),
      make_other_(std::move(other)) {}

HostChannel::~HostChannel() {
  if (caller_ != nullptr) caller_->CloseAfterLastCall();
}

std::shared_ptr<LinkCaller> HostChannel::Connect() const {
  return callers_->Add([this](std::unique_ptr<LinkHandler> end) -> std::shared_ptr<Link> {
    OwnedFd fd;
    for (const std::string& address : on_host_) {
      fd = ConnectOnHost(address);
      if (fd.valid()) break;
    }
    if (!fd.valid()) return nullptr;
    auto link = std::make_shared<HostLink>(shared_(), std::move(fd), std::move(end));
    link->Start();
    return link;
  });
}

std::shared_ptr<LinkCaller> HostChannel::Caller() {
  std::lock_guard lock(mu_);
  if (caller_ != nullptr && caller_->IsConnected()) return caller_;
  if (caller_ != nullptr) caller_->Break(BrokenConnection("end of file"));
  caller_ = on_host_.empty() ? nullptr : Connect();
  return caller_;
}

std::shared_ptr<Channel> HostChannel::Other() {
  std::lock_guard lock(mu_);
  if (other_ == nullptr) other_ = make_other_();
  return other_;
}

void HostChannel::Call(const std::string& method, Rope request, const CallOptions& options, Done done) {
  while (const std::shared_ptr<LinkCaller> caller = Caller()) {
    if (caller->Call(method, request, options, done)) return;
  }
  const std::shared_ptr<Channel> other = callers_->closed() ? nullptr : Other();
  if (other == nullptr) return done(ProcessIsEnding());
  other->Call(method, std::move(request), options, std::move(done));
}

}  // namespace weir

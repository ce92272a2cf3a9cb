#include "cluster/ucx/ucx_listener.h"

#include <netdb.h>

namespace weir {

UcxListener::UcxListener(std::shared_ptr<UcxPlace> place, Address address, std::unique_ptr<Listener> other)
    : place_(std::move(place)), address_(std::move(address)), other_(std::move(other)) {}

UcxListener::~UcxListener() {
  calls_->Close();
  other_ = nullptr;  // nobody asks any more
  calls_->Drain();
}

void UcxListener::Serve(CallHandler handler) {
  calls_->set_handler(handler);
  other_->Serve([this, handler = std::move(handler)](std::shared_ptr<IncomingCall> call) {
    if (call->method() != kUcxMethod) return handler(std::move(call));
    place_->Schedule([this, call = std::move(call)] {
      const Result<UcxInvitation> invitation = Invite();
      if (invitation.ok()) return call->Respond(Rope(invitation->ToString()));
      place_->SayWhyNot("who asks for it", invitation.status());
      call->Respond(invitation.status());
    });
  });
}

Result<UcxInvitation> UcxListener::Invite() {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (address_.is_unix() || getaddrinfo(address_.host.c_str(), nullptr, &hints, &found) != 0)
    return FailedPrecondition("UCX cannot listen at {}", address_.ToString());
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> guard(found, freeaddrinfo);
  bool ipv6 = true;
  for (const addrinfo* a = found; a != nullptr; a = a->ai_next) ipv6 = ipv6 && a->ai_family == AF_INET6;
  return place_->Invite(ipv6, calls_);
}

}  // namespace weir

#include "cluster/ucx/ucx_listener.h"

namespace weir {

UcxListener::UcxListener(std::shared_ptr<UcxPlace> place, Address address, std::unique_ptr<Listener> other)
    : place_(std::move(place)), address_(std::move(address)), other_(std::move(other)) {}

UcxListener::~UcxListener() {
  calls_->Close();
  other_ = nullptr;  // no more requests for invitations
  calls_->Drain();
}

void UcxListener::Serve(CallHandler handler) {
  calls_->set_handler(handler);
  other_->Serve([this, handler = std::move(handler)](std::shared_ptr<IncomingCall> call) {
    if (call->method() != kUcxMethod) return handler(std::move(call));
    place_->Schedule([this, call = std::move(call)] {
      const Result<UcxInvitation> invitation = place_->Invite(address_, calls_);
      if (invitation.ok()) return call->Respond(Rope(invitation->ToString()));
      place_->SayWhyNot("who asks for it", invitation.status());
      call->Respond(invitation.status());
    });
  });
}

}  // namespace weir

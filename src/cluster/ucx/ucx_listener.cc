#include "cluster/ucx/ucx_listener.h"

namespace weir {

UcxListener::UcxListener(std::shared_ptr<UcxRuntime> runtime, Address address, std::unique_ptr<Listener> other)
    : runtime_(std::move(runtime)), address_(std::move(address)), other_(std::move(other)) {}

UcxListener::~UcxListener() {
  calls_->Close();
  other_ = nullptr;  // no more requests for invitations
  calls_->Drain();
}

void UcxListener::Serve(CallHandler handler) {
  calls_->set_handler(handler);
  other_->Serve([this, handler = std::move(handler)](std::shared_ptr<IncomingCall> call) {
    if (call->method() != kUcxMethod) return handler(std::move(call));
    runtime_->Schedule([this, call = std::move(call)] {
      const Result<UcxInvitation> invitation = runtime_->Invite(address_, calls_);
      if (invitation.ok()) return call->Respond(Rope(invitation->ToString()));
      runtime_->LogNotUsed("clients of this server", invitation.status());
      call->Respond(invitation.status());
    });
  });
}

}  // namespace weir

#include "cluster/step_caller.h"

#include "cluster/session_tasks.h"

namespace weir {
namespace {

constexpr int64_t kGiveUpTimeoutMs = 5'000;

// Tells the master that nobody wants the response. If the message is lost, the master ends the step when it has not
// been sent again for long.
void GiveUp(MasterService& master, const std::string& handle, CallNumber number) {
  RunStepCall call;
  call.message.set_session_handle(handle);
  call.message.set_weir_slot(number.slot);
  call.message.set_weir_sequence(number.sequence);
  call.message.set_weir_gives_up(true);
  master.RunStep(std::move(call), CallOptions{.timeout_ms = kGiveUpTimeoutMs}, [](const Result<RunStepReply>&) {});
}

// True if the master may still run the step after this error.
bool MayStillRun(StatusCode code) {
  return code == StatusCode::kUnavailable || code == StatusCode::kDeadlineExceeded || code == StatusCode::kCancelled;
}

}  // namespace

void StepCaller::RunStep(RunStepCall call, const CallOptions& options, Reply<RunStepReply> done) {
  CallNumber number;
  if (recognizes_ && call.message.partial_run_handle().empty()) number = slots_->Take(1);
  if (number.slot == 0) return master_->RunStep(std::move(call), options, std::move(done));
  call.message.set_weir_slot(number.slot);
  call.message.set_weir_sequence(number.sequence);
  CallOptions numbered = options;
  numbered.resend_ms = kSessionLeaseMs;
  numbered.resend_alarms = &alarms_;
  const std::string handle = call.message.session_handle();
  master_->RunStep(std::move(call), numbered,
                   [master = master_, slots = slots_, handle, number, cancel = options.cancel,
                    done = std::move(done)](Result<RunStepReply> reply) {
                     const bool cancelled = cancel != nullptr && cancel->cancelled();
                     if (!reply.ok() && (cancelled || MayStillRun(reply.status().code())))
                       GiveUp(*master, handle, number);
                     slots->Free(number);
                     done(std::move(reply));
                   });
}

}  // namespace weir

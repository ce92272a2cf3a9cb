// StepCaller: runs the steps of a client on its master. If the master recognizes steps that are sent again, a step
// whose connection breaks is sent again on a new one, and runs once. Thread-safe.
#pragma once

#include <atomic>
#include <memory>

#include "cluster/call_slots.h"
#include "cluster/services.h"

namespace weir {

class StepCaller final {
 public:
  // `alarms` must outlive the steps.
  StepCaller(std::shared_ptr<MasterService> master, Alarms& alarms) : master_(std::move(master)), alarms_(alarms) {}

  // Set by the response to CreateSession.
  void set_master_recognizes_copies(bool recognizes) { recognizes_ = recognizes; }
  // As MasterService::RunStep. Steps in pieces are not sent again.
  void RunStep(RunStepCall call, const CallOptions& options, Reply<RunStepReply> done);

 private:
  const std::shared_ptr<MasterService> master_;
  Alarms& alarms_;
  const std::shared_ptr<CallSlots> slots_ = std::make_shared<CallSlots>();
  std::atomic<bool> recognizes_{false};
};

}  // namespace weir

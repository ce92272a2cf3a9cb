// MasterSession::MasterStep: a step, from its call until the last worker has responded. master_session.cc starts it,
// this file ends it. Thread-safe where noted.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "cluster/master_session.h"

namespace weir {

struct MasterSession::MasterStep : std::enable_shared_from_this<MasterSession::MasterStep> {
  std::shared_ptr<MasterSession> session;
  std::shared_ptr<void> counted;
  std::shared_ptr<StepPlan> plan;
  int64_t id = 0;
  CallNumber number;  // of its first call; slot 0 if its calls have no numbers
  bool is_partial_run = false;
  bool clean_up = true;  // false if a step in pieces continues after this call
  CancelToken cancel;    // cancels everything that is done for the step
  Alarms::Id alarm = 0;
  std::vector<std::pair<CancelToken*, CancelToken::Id>> registrations;
  Reply<RunStepReply> done;
  Responses::CallPtr known;  // null if the client will not send the step again
  std::function<void(const Status&)> at_end;
  std::vector<Tensor> values;                 // by fetch
  std::vector<int> wanted;                    // the fetches of this call
  std::vector<RunGraphReply> replies;         // by part
  std::shared_ptr<OwnTaskValues> own_values;  // null if the plan has no such values
  bool traced = false;
  std::vector<int64_t> called_micros;    // by part, if the step is traced
  std::vector<int64_t> answered_micros;  // by part, if the response has a trace

  // A part that is not called yet: it waits for values, or for the response of another part.
  struct PendingPart {
    RunGraphCall call;
    int left = 0;  // 0: it does not wait (any more)
  };

  std::mutex mu;
  std::vector<PendingPart> waiting;  // by part
  size_t left = 1;
  std::vector<bool> answered;  // by part
  Status status;

  // Sets the plan that the step runs. Call it once.
  void Begin(std::shared_ptr<StepPlan> with, int64_t step_id);

  // The methods below are thread-safe.
  // Fails the step. The first error wins, but an original error replaces a derived one.
  void Fail(const Status& failed);
  // Fails the step because of its timeout.
  void TimeOut(int64_t timeout_ms);
  // Takes the response of a part. Once for each part.
  void OnPartReply(size_t part, Result<RunGraphReply> reply);
  // Calls a part, at once or when its inputs are complete. Use it once for each part, first for the parts that wait.
  void Call(size_t part, RunGraphCall call);
  // If the step has failed, drops the calls of parts that still wait.
  void DropPendingParts();
  // Counts down the open responses. The last one ends the step.
  void CountDownReplies();

 private:
  void NameNode(const Status& ended);
  void ForwardValues(RunGraphReply& reply);
  // Counts down the inputs that a part waits for: values, or the response of another part.
  void OnPartInput(size_t part, std::optional<NamedTensor> value);
  void CallNow(size_t part, RunGraphCall call);
  Result<RunStepReply> Collect();
  void End();
};

}  // namespace weir

// MasterSession::Step: a step from its call until the last worker has answered; what the session's own file begins and
// this one ends. Thread-safe where it says so.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "cluster/master_session.h"

namespace weir {

struct MasterSession::Step : std::enable_shared_from_this<MasterSession::Step> {
  std::shared_ptr<MasterSession> session;
  std::shared_ptr<void> counted;
  std::shared_ptr<StepPlan> plan;
  int64_t id = 0;
  bool in_pieces = false;
  bool clean_up = true;  // a step in pieces goes on after this call
  CancelToken cancel;    // of all that is done for the step
  Alarms::Id alarm = 0;
  std::vector<std::pair<CancelToken*, CancelToken::Id>> ties;
  Reply<RunStepReply> done;
  std::function<void(const Status&)> at_end;
  std::vector<Tensor> values;             // by fetch
  std::vector<int> wanted;                // the fetches of this call
  std::vector<RunGraphReply> replies;     // by part
  std::shared_ptr<AnswerValues> brought;  // where the plan has some
  bool traced = false;
  std::vector<int64_t> called_micros;    // by part, where the step is traced
  std::vector<int64_t> answered_micros;  // by part, of those that are traced

  // A part whose call waits for values, or for an answer.
  struct Waiting {
    RunGraphCall call;
    int left = 0;  // 0: it waits no more
  };

  std::mutex mu;
  std::vector<Waiting> waiting;  // by part
  size_t left = 1;
  std::vector<bool> answered;  // by part
  Status status;

  // From now on it runs over the parts of a plan. Once.
  void Begin(std::shared_ptr<StepPlan> with, int64_t step_id);

  // These may be called by any thread.
  // What follows from another error is not its cause: it gives way.
  void Fail(const Status& failed);
  // Its time is over.
  void TimeOut(int64_t timeout_ms);
  // What a part has come to. For each part once.
  void Take(size_t part, Result<RunGraphReply> reply);
  // Calls a part, at once or when all that it waits for is there. For each part once, those that wait first.
  void Call(size_t part, RunGraphCall call);
  // Asks the own part for what others take from it. After all calls.
  void AskOwnForAll();
  // Parts that wait are not called any more, if the step has failed.
  void GiveUpWaiting();
  // One answer less to wait for; the last one ends the step.
  void Answered();

 private:
  void NameNode(const Status& ended);
  void HandOn(RunGraphReply& reply);
  // One thing less that a part waits for: a value, or an answer.
  void Arrived(size_t part, std::optional<NamedTensor> value);
  void CallNow(size_t part, RunGraphCall call);
  Result<RunStepReply> Collect();
  void End();
};

}  // namespace weir

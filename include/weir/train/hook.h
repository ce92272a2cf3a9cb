// SessionRunHook: extends every step of a MonitoredSession without changes to the training loop. A hook can add fetches
// and feeds, inspect results and request a stop. Called by one thread at a time.
#pragma once

#include <any>
#include <memory>
#include <optional>
#include <vector>

#include "weir/session/session.h"
#include "weir/train/coordinator.h"
#include "weir/train/session_manager.h"

namespace weir {

class CheckpointSaverHook;
class TrainingProgress;

// Fetches, feeds and options that a hook adds to the next step.
struct HookRequest {
  std::vector<Output> fetches = {};
  std::vector<Node*> targets = {};
  std::vector<Feed> feeds = {};  // tensors that neither the caller nor another hook feeds
  OptionalMessage<tensorflow::RunOptions> options = {};
};

// One call of Run, from before its step until after it.
class RunContext final {
 public:
  RunContext(SessionPtr session, const RunRequest& original) : session_(std::move(session)), original_(original) {}
  const SessionPtr& session() const { return session_; }  // for the hook's own steps, which run without hooks
  const RunRequest& original() const { return original_; }
  // No further step runs: MonitoredSession::ShouldStop returns true from here on.
  void RequestStop() { stop_requested_ = true; }
  bool stop_requested() const { return stop_requested_; }
  std::any note;                                         // what the caller gave to MonitoredSession::Run
  std::shared_ptr<TrainingProgress> progress = nullptr;  // progress display of the task; usually null

 private:
  const SessionPtr session_;
  const RunRequest& original_;
  bool stop_requested_ = false;
};

struct RunValues {
  std::vector<Tensor> results;  // results of the hook's fetches, in order
  const tensorflow::RunOptions& options;
  const tensorflow::RunMetadata& metadata;
};

class SessionRunHook {
 public:
  virtual ~SessionRunHook() = default;
  // Called once, before the first session is created: the last chance to add nodes.
  virtual Status Begin(Graph& graph) { return OkStatus(); }
  // Called for each new session, including one that replaces a lost one. The graph is finalized. `cancel` (may be null)
  // cancels the hook's own steps, here and in End.
  virtual Status AfterCreateSession(const SessionPtr& session, const std::shared_ptr<Coordinator>& coordinator,
                                    CancelToken* cancel) {
    return OkStatus();
  }
  virtual Result<HookRequest> BeforeRun(RunContext& context) { return HookRequest(); }
  // Not called if the step failed.
  virtual Status AfterRun(RunContext& context, const RunValues& values) { return OkStatus(); }
  // Called at the end, unless an error ended the loop.
  virtual Status End(const SessionPtr& session, CancelToken* cancel) { return OkStatus(); }
  // The hook that saves checkpoints, if this is one or wraps one; else null.
  virtual CheckpointSaverHook* checkpoint_saver() { return nullptr; }
};
using HookPtr = std::shared_ptr<SessionRunHook>;

}  // namespace weir

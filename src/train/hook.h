// SessionRunHook: what a program adds to every step of a MonitoredSession, without changing its training loop: it may
// fetch and feed along, look at what comes out, and ask for the end. Called by one thread at a time.
#pragma once

#include <any>
#include <memory>
#include <optional>
#include <vector>

#include "session/session.h"
#include "train/coordinator.h"
#include "train/session_manager.h"

namespace weir {

class TrainingProgress;

// What a hook wants of the next step, beside what the caller of Run wants.
struct HookRequest {
  std::vector<Output> fetches = {};
  std::vector<Node*> targets = {};
  std::vector<Feed> feeds = {};  // of tensors that nobody else feeds
  std::optional<tensorflow::RunOptions> options = {};
};

// One call of Run, from before its step to after it.
class RunContext final {
 public:
  RunContext(SessionPtr session, const RunRequest& original) : session_(std::move(session)), original_(original) {}
  const SessionPtr& session() const { return session_; }  // to run steps of one's own, without hooks
  const RunRequest& original() const { return original_; }
  // No further step is run: MonitoredSession::should_stop is true from then on.
  void RequestStop() { stop_requested_ = true; }
  bool stop_requested() const { return stop_requested_; }
  std::any note;                                         // what the caller wants its own hooks to know
  std::shared_ptr<TrainingProgress> progress = nullptr;  // what the task shows of its training; mostly null

 private:
  const SessionPtr session_;
  const RunRequest& original_;
  bool stop_requested_ = false;
};

struct RunValues {
  std::vector<Tensor> results;  // of the hook's fetches, in order
  const tensorflow::RunOptions& options;
  const tensorflow::RunMetadata& metadata;
};

class SessionRunHook {
 public:
  virtual ~SessionRunHook() = default;
  // Once, before the first session is made: the last time to add nodes.
  virtual Status Begin(Graph& graph) { return OkStatus(); }
  // For each new session, also the one that replaces a lost one. The graph is final. `cancel` (may be null) is to end
  // the steps of the hook's own, here and in End.
  virtual Status AfterCreateSession(const SessionPtr& session, const std::shared_ptr<Coordinator>& coordinator,
                                    CancelToken* cancel) {
    return OkStatus();
  }
  virtual Result<HookRequest> BeforeRun(RunContext& context) { return HookRequest(); }
  // Not called when the step failed.
  virtual Status AfterRun(RunContext& context, const RunValues& values) { return OkStatus(); }
  // At the end, unless an error ended the loop.
  virtual Status End(const SessionPtr& session, CancelToken* cancel) { return OkStatus(); }
};
using HookPtr = std::shared_ptr<SessionRunHook>;

}  // namespace weir

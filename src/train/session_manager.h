// SessionManager: gives sessions whose model is ready. One task, the chief, restores the model from a checkpoint or
// initializes it (Prepare); the others wait until it has done so (Wait). Thread-safe. The graph must outlive it.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/env.h"
#include "graph/graph.h"
#include "op/cancel.h"
#include "proto/config.pb.h"
#include "session/session.h"
#include "train/saver.h"

namespace weir {

using SessionPtr = std::shared_ptr<Session>;
// Makes a session for the graph, of whatever kind the program's target names.
using SessionMaker = std::function<Result<SessionPtr>()>;
// Initializes what no node does.
using InitFunction = std::function<Status(const SessionPtr& session)>;

// What says whether the model is ready: a vector of strings that names what is not. A node without a value, or one of
// numbers, says so by not failing.
struct ReadyOp {
  Node* node = nullptr;  // null: always ready
  int output = -1;       // of the node; -1: it is only run

  ReadyOp() = default;
  ReadyOp(Node* n) : node(n) {}
  ReadyOp(Output o) : node(o.node), output(o.index) {}
};

struct SessionManagerOptions {
  std::vector<Node*> local_init = {};  // run in each new session, once the model is ready for it
  ReadyOp ready = {};
  ReadyOp ready_for_local_init = {};
  // The longest pause between two looks at whether the model is ready. The first ones are of milliseconds.
  double recovery_wait_secs = 30;
  std::vector<Feed> local_init_feeds = {};
  std::optional<tensorflow::RunOptions> local_init_run_options = {};
  Env* env = &RealEnv();
  Clock* clock = &RealClock();
};

// What to restore from. Without a saver, or without a place, nothing is.
struct RestoreOptions {
  std::shared_ptr<Saver> saver = nullptr;
  std::string checkpoint_dir = "";   // its latest checkpoint
  std::string checkpoint_path = "";  // or this one
  bool wait_for_checkpoint = false;  // until there is one
  double max_wait_secs = 7200;       // the longest such wait
  CancelToken* cancel = nullptr;     // ends waits and steps
};

struct PrepareOptions {
  RestoreOptions restore = {};
  // Run when nothing was restored.
  std::vector<Node*> init = {};
  std::vector<Feed> init_feeds = {};
  InitFunction init_fn = {};  // after `init`
};

struct WaitOptions {
  // Of 0 the model is looked at once, which may take some seconds.
  double max_wait_secs = std::numeric_limits<double>::infinity();
  CancelToken* cancel = nullptr;
};

class SessionManager final {
 public:
  // InvalidArgument where ready_for_local_init comes without local_init.
  static Result<std::shared_ptr<SessionManager>> Make(Graph& graph, SessionManagerOptions options = {});
  SessionManager(const SessionManager&) = delete;
  SessionManager& operator=(const SessionManager&) = delete;

  // Restores the model or else initializes it, then initializes what is local. FailedPrecondition when the model is not
  // ready after all that, or when there is nothing to do it with.
  Result<SessionPtr> Prepare(const SessionMaker& make, const PrepareOptions& options = {}) const;

  struct Recovered {
    SessionPtr session;
    bool ready = false;  // restored, and everything is there
  };
  // Restores the model if there is a checkpoint. The session is given either way.
  Result<Recovered> Recover(const SessionMaker& make, const RestoreOptions& options = {}) const;

  // Waits until another task has made the model ready; tasks that cannot be reached yet are waited for too.
  // Says every ten seconds at most what it waits for. DeadlineExceeded when that takes longer than allowed, whatever it
  // waits in.
  Result<SessionPtr> Wait(const SessionMaker& make, const WaitOptions& options = {}) const;

  const SessionManagerOptions& options() const { return options_; }
  Graph& graph() const { return graph_; }

 private:
  SessionManager(Graph& graph, SessionManagerOptions options) : graph_(graph), options_(std::move(options)) {}
  // What the model still lacks; nothing when it is ready.
  using Missing = std::optional<std::string>;
  Result<Missing> AskReady(const ReadyOp& ready, const char* what, Session& session, CancelToken* cancel) const;
  Result<Missing> InitializeLocal(Session& session, CancelToken* cancel) const;
  // True if the model was restored.
  Result<bool> Restore(Session& session, const RestoreOptions& options) const;
  Status RestoreFrom(const std::string& path, Session& session, const RestoreOptions& options) const;
  Status MakeReady(const SessionPtr& session, const PrepareOptions& options) const;

  Graph& graph_;
  const SessionManagerOptions options_;
};

// True for errors that come from what the caller gave or from a model that is not ready, not from a step.
bool IsSetupError(const Status& status);
Status SetupError(Status status);  // marked as one

}  // namespace weir

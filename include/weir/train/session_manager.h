// SessionManager: creates sessions whose model is ready. The chief task restores the model from a checkpoint or
// initializes it (Prepare); other tasks wait for that (Wait). Thread-safe. The graph must outlive it.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weir/base/clock.h"
#include "weir/base/env.h"
#include "weir/graph/graph.h"
#include "weir/op/cancel.h"
#include "weir/proto/messages.h"
#include "weir/session/session.h"
#include "weir/train/saver.h"

namespace weir {

using SessionPtr = std::shared_ptr<Session>;
// Creates a session for the graph, of the kind that the program's target requires.
using SessionMaker = std::function<Result<SessionPtr>()>;
// Initialization that is not done by a node.
using InitFunction = std::function<Status(const SessionPtr& session)>;

// Checks whether the model is ready. If the output of the node is a string vector, the vector lists the parts that are
// not ready. A node without outputs, or with an int32 output, means ready if it does not fail.
struct ReadyOp {
  Node* node = nullptr;  // null: always ready
  int output = -1;       // output of the node; -1: only run the node

  ReadyOp() = default;
  ReadyOp(Node* n) : node(n) {}
  ReadyOp(Output o) : node(o.node), output(o.index) {}
};

// What a chief does with variables that an earlier session of the same run has left on the servers.
enum class RecoverMode {
  kPartial,  // keeps them; asynchronous training restores the variables of lost tasks alone
  kResume,   // keeps them if no task has lost its variables, else restores all
  kRestore,  // restores or initializes all, as TensorFlow does
};

struct SessionManagerOptions {
  std::vector<Node*> local_init = {};  // run in each new session, when the model is ready for it
  ReadyOp ready = {};
  ReadyOp ready_for_local_init = {};
  // Longest pause between two checks whether the model is ready. The first pauses are milliseconds.
  double recovery_wait_secs = 30;
  std::vector<Feed> local_init_feeds = {};
  OptionalMessage<tensorflow::RunOptions> local_init_run_options = {};
  std::optional<RecoverMode> recover = {};  // default: WEIR_RECOVER (partial, resume or restore), else kPartial
  Env* env = &RealEnv();
  Clock* clock = &RealClock();
};

// Nothing is restored without a saver, or without a directory or path.
struct RestoreOptions {
  std::shared_ptr<Saver> saver = nullptr;
  std::string checkpoint_dir = "";   // restore its latest checkpoint
  std::string checkpoint_path = "";  // or this one
  bool wait_for_checkpoint = false;  // wait until there is one
  double max_wait_secs = 7200;       // timeout of that wait
  CancelToken* cancel = nullptr;     // cancels waits and steps
};

struct PrepareOptions {
  RestoreOptions restore = {};
  // Run if nothing was restored.
  std::vector<Node*> init = {};
  std::vector<Feed> init_feeds = {};
  InitFunction init_fn = {};  // called after `init`
};

struct WaitOptions {
  // With 0 the model is checked once, which may take a few seconds.
  double max_wait_secs = std::numeric_limits<double>::infinity();
  CancelToken* cancel = nullptr;
};

class RunMarks;

class SessionManager final {
 public:
  // InvalidArgument if ready_for_local_init is set without local_init, or for a wrong WEIR_RECOVER.
  static Result<std::shared_ptr<SessionManager>> Make(Graph& graph, SessionManagerOptions options = {});
  SessionManager(const SessionManager&) = delete;
  SessionManager& operator=(const SessionManager&) = delete;

  // Keeps, restores or initializes the model, then runs the local initialization. FailedPrecondition if the model is
  // still not ready, or if there is no way to initialize it. A model is kept if servers still hold the variables that
  // an earlier session with the same checkpoint directory has left there.
  Result<SessionPtr> Prepare(const SessionMaker& make, const PrepareOptions& options = {}) const;

  struct Recovered {
    SessionPtr session;
    bool ready = false;  // restored, and the model is ready
  };
  // Restores the model if there is a checkpoint. Returns the session in any case.
  Result<Recovered> Recover(const SessionMaker& make, const RestoreOptions& options = {}) const;

  // Waits until another task has made the model ready, and for tasks that cannot be reached yet. Logs what it waits
  // for, at most every ten seconds if unchanged. DeadlineExceeded after the timeout, which also cancels a step in
  // progress.
  Result<SessionPtr> Wait(const SessionMaker& make, const WaitOptions& options = {}) const;

  const SessionManagerOptions& options() const { return options_; }
  Graph& graph() const { return graph_; }

 private:
  SessionManager(Graph& graph, SessionManagerOptions options) : graph_(graph), options_(std::move(options)) {}
  // Describes what the model still lacks; nullopt if it is ready.
  using Missing = std::optional<std::string>;
  Result<Missing> CheckReady(const ReadyOp& ready, const char* what, Session& session, CancelToken* cancel) const;
  Result<Missing> InitializeLocal(Session& session, CancelToken* cancel) const;
  // True if a checkpoint was restored.
  Result<bool> Restore(Session& session, const RestoreOptions& options) const;
  // `targets` replaces the saver's restore op if not empty.
  Status RestoreFrom(const std::string& path, Session& session, const RestoreOptions& options,
                     const std::vector<Node*>& targets = {}) const;
  // Null if the session's variables cannot outlive it, or if the marks cannot be read.
  Result<std::unique_ptr<RunMarks>> ReadMarks(Session& session, const RestoreOptions& options) const;
  // True if the model is ready without having been restored or initialized as a whole.
  Result<bool> KeepModel(Session& session, RunMarks& marks, const RestoreOptions& options) const;
  // Restores or initializes the whole model.
  Status BuildModel(const SessionPtr& session, const PrepareOptions& options) const;
  Status MakeReady(const SessionPtr& session, const PrepareOptions& options) const;

  Graph& graph_;
  const SessionManagerOptions options_;
};

// True for errors caused by the caller's arguments or by a model that is not ready, as opposed to a failed step.
bool IsSetupError(const Status& status);
Status SetupError(Status status);  // marks the status as a setup error

}  // namespace weir

// MonitoredSession: a session that calls hooks around each step and stops its threads together. It recovers from lost
// tasks: it creates a new session, which restores what was lost, and runs the step again. Not thread-safe. The
// graph must outlive it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "weir/train/hook.h"
#include "weir/train/preemption.h"
#include "weir/train/queue_runner.h"
#include "weir/train/saving_hooks.h"
#include "weir/train/scaffold.h"

namespace weir {

// Creates a session whose model is ready; blocks until then. `cancel` (may be null) ends the wait.
using SessionCreator = std::function<Result<SessionPtr>(CancelToken* cancel)>;

// For the chief: restores the model from the latest checkpoint of the directory, or initializes it. Finalizes the
// scaffold.
struct ChiefSessionOptions {
  std::string checkpoint_dir = "";
  std::string checkpoint_path = "";
  double recovery_wait_secs = 30;
  Clock* clock = &RealClock();
};
SessionCreator ChiefSessionCreator(Graph& graph, std::shared_ptr<Scaffold> scaffold, SessionMaker make,
                                   ChiefSessionOptions options = {});
// For other workers: waits until the chief has initialized the model.
struct WorkerSessionOptions {
  double max_wait_secs = 1800;
  double recovery_wait_secs = 30;
  Clock* clock = &RealClock();
};
SessionCreator WorkerSessionCreator(Graph& graph, std::shared_ptr<Scaffold> scaffold, SessionMaker make,
                                    WorkerSessionOptions options = {});

struct MonitoredSessionOptions {
  std::vector<HookPtr> hooks = {};
  double stop_grace_period_secs = 120;
  bool recover = true;             // false: a lost task is treated like any other error
  double recovery_wait_secs = 30;  // longest pause between attempts to create a session; the first pauses are short
  // Called for each new session. Defaults: a coordinator that reports every error, and the queue runners of the graph.
  std::function<Result<std::shared_ptr<Coordinator>>()> make_coordinator = {};
  std::function<Status(const SessionPtr&, const std::shared_ptr<Coordinator>&)> start_queue_runners = {};
  // Progress display for a terminal. Default: TrainingProgress::Begin().
  std::shared_ptr<TrainingProgress> progress = nullptr;
  // Replaces Coordinator::Join for the threads of a session that ends.
  std::function<Status(const std::shared_ptr<Coordinator>&)> join = {};
  Clock* clock = &RealClock();
};

class MonitoredSession final {
 public:
  // Calls Begin on the hooks and creates the first session.
  static Result<std::unique_ptr<MonitoredSession>> Make(Graph& graph, SessionCreator creator,
                                                        MonitoredSessionOptions options, CancelToken* cancel = nullptr);
  ~MonitoredSession();  // closes the session without calling the hooks
  MonitoredSession(const MonitoredSession&) = delete;
  MonitoredSession& operator=(const MonitoredSession&) = delete;

  // Runs a step with all hooks. FailedPrecondition after a hook has requested a stop. `note` is passed to the hooks.
  Result<std::vector<Tensor>> Run(const RunRequest& request, const std::any& note = {});
  // Calls `body` with the raw session. `body` may run steps in that session, or with hooks through RunHooked. If a task
  // is lost, `body` is called again with a new session.
  Status RunStepFn(const std::function<Status(const SessionPtr&)>& body, CancelToken* cancel = nullptr);
  // REQUIRES: called by the body of RunStepFn.
  Result<std::vector<Tensor>> RunHooked(const RunRequest& request, const std::any& note = {});
  // Whether a hook or a thread has requested a stop, or the session is closed. If a thread reported a lost task,
  // creates a new session and returns false. Without `recover`, returns the thread's error.
  Result<bool> ShouldStop(CancelToken* cancel = nullptr);
  bool stop_requested() const;  // false: ShouldStop would return false without side effects
  // Calls End on the hooks (unless `failed`), stops the threads and closes the session. `cancel` cancels the hooks'
  // steps and the wait for threads.
  Status Close(bool failed = false, CancelToken* cancel = nullptr);
  bool closed() const { return closed_; }
  SessionPtr session() const { return session_; }  // null while there is no session
  const std::shared_ptr<Coordinator>& coordinator() const { return coordinator_; }
  Graph& graph() const { return graph_; }

 private:
  MonitoredSession(Graph& graph, SessionCreator creator, MonitoredSessionOptions options);
  Status Create(CancelToken* cancel);         // one attempt
  Status EnsureSession(CancelToken* cancel);  // retries until a session exists
  // Stops the coordinator (with `cause` as its error if a task was lost), joins its threads and closes the session.
  Status EndSession(const Status& cause, CancelToken* cancel);
  // Like EndSession, after a lost task: a new session follows, so errors from the loss are ignored.
  Status EndLostSession(const Status& cause, CancelToken* cancel);
  Status RootCause(const Status& status) const;
  template <class F>
  Status RunWithRecovery(CancelToken* cancel, F&& body);

  Graph& graph_;
  const SessionCreator creator_;
  const MonitoredSessionOptions options_;
  const bool was_finalized_;
  SessionPtr session_;
  std::shared_ptr<Coordinator> coordinator_;
  std::unique_ptr<QueueRunnerThreads> runners_;
  bool stop_ = false;
  bool closed_ = false;
};

// The session of a cluster task, as built by tf.train.MonitoredTrainingSession. The chief saves checkpoints and
// summaries.
struct TrainingSessionOptions {
  bool is_chief = true;
  std::string checkpoint_dir = "";
  std::string summary_dir = "";  // default: checkpoint_dir
  std::shared_ptr<Scaffold> scaffold = nullptr;
  std::vector<HookPtr> hooks = {};
  std::vector<HookPtr> chief_only_hooks = {};
  TimerInterval save_checkpoint = {.every_secs = 600};
  TimerInterval save_summaries = {.every_steps = 100};
  int64_t log_step_count_steps = 100;  // 0: never
  double max_wait_secs = 7200;
  double recovery_wait_secs = 30;
  double stop_grace_period_secs = 120;
  Env* env = &RealEnv();  // for the hooks' checkpoints, and for the default scaffold
  Clock* clock = &RealClock();
};
// What MonitoredTrainingSession provides itself and the Python binding replaces.
struct TrainingHookParts {
  std::function<WriterSource(const std::string& directory)> writer;  // event file writer
  std::function<Result<std::shared_ptr<Saver>>(Graph&)> saver;
  std::function<Result<std::vector<Output>>()> summaries;
  CollectionCodec codec = {};
  GraphText graph_text = {};
  LogSink log = InfoLog();
  LogSink warning = WarningLog();
};
// The hooks of the task, in calling order. An interval of 0 means never.
Result<std::vector<HookPtr>> TrainingHooks(const TrainingSessionOptions& options, const TrainingHookParts& parts);
// REQUIRES: `writers` outlives the session. `cancel` ends the wait for the first session.
Result<std::unique_ptr<MonitoredSession>> MonitoredTrainingSession(Graph& graph, SessionMaker make,
                                                                   FileWriterCache& writers,
                                                                   TrainingSessionOptions options = {},
                                                                   CancelToken* cancel = nullptr);

}  // namespace weir

// MonitoredSession: a session with hooks around each of its steps, whose threads stop together, and that comes back
// when a task of the cluster was lost: a new session is made, which restores the last checkpoint, and the step is run
// again. Used by one thread at a time. The graph must outlive it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "train/hook.h"
#include "train/preemption.h"
#include "train/queue_runner.h"
#include "train/saving_hooks.h"
#include "train/scaffold.h"

namespace weir {

// Gives a session whose model is ready, however long that takes. `cancel` (may be null) ends the wait.
using SessionCreator = std::function<Result<SessionPtr>(CancelToken* cancel)>;

// The chief's: restores the model from the directory's latest checkpoint, or initializes it. Completes the scaffold.
struct ChiefSessionOptions {
  std::string checkpoint_dir = "";
  std::string checkpoint_path = "";
  double recovery_wait_secs = 30;
  Clock* clock = &RealClock();
};
SessionCreator ChiefSessionCreator(Graph& graph, std::shared_ptr<Scaffold> scaffold, SessionMaker make,
                                   ChiefSessionOptions options = {});
// The others': waits until the chief has made the model ready.
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
  bool recover = true;             // false: a lost task is an error like any other
  double recovery_wait_secs = 30;  // the longest pause between two tries to get a session again; the first are short
  // Both called for each new session. By default a coordinator that reports every error, and the graph's own runners.
  std::function<Result<std::shared_ptr<Coordinator>>()> make_coordinator = {};
  std::function<Status(const SessionPtr&, const std::shared_ptr<Coordinator>&)> start_queue_runners = {};
  // What a terminal shows of the steps while they run; without it what TrainingProgress::Begin gives.
  std::shared_ptr<TrainingProgress> progress = nullptr;
  // Waits for the threads of a session that ends, instead of the coordinator's own Join.
  std::function<Status(const std::shared_ptr<Coordinator>&)> join = {};
  Clock* clock = &RealClock();
};

class MonitoredSession final {
 public:
  // Begins the hooks and makes the first session.
  static Result<std::unique_ptr<MonitoredSession>> Make(Graph& graph, SessionCreator creator,
                                                        MonitoredSessionOptions options, CancelToken* cancel = nullptr);
  ~MonitoredSession();  // closes what is open, without asking the hooks
  MonitoredSession(const MonitoredSession&) = delete;
  MonitoredSession& operator=(const MonitoredSession&) = delete;

  // A step with all hooks. FailedPrecondition once a hook has asked for the end. `note` is for hooks of the caller's
  // own.
  Result<std::vector<Tensor>> Run(const RunRequest& request, const std::any& note = {});
  // Calls `body` with the session as it is; it may run steps in it, and with hooks by RunHooked. Called again with
  // another session after a loss.
  Status RunStepFn(const std::function<Status(const SessionPtr&)>& body, CancelToken* cancel = nullptr);
  // Inside of RunStepFn.
  Result<std::vector<Tensor>> RunHooked(const RunRequest& request, const std::any& note = {});
  // Whether a hook or a thread has asked for the end, or the session is closed. Where a thread has reported a lost task
  // to the coordinator, another session is made instead and the answer is no. Without recovery the thread's error is
  // the result.
  Result<bool> ShouldStop(CancelToken* cancel = nullptr);
  bool asked_to_stop() const;  // false: ShouldStop would say no, and do nothing
  // Ends the hooks, stops the threads and closes the session. After an error (`failed`) the hooks are not asked.
  // `cancel` ends the steps of hooks and the wait for threads.
  Status Close(bool failed = false, CancelToken* cancel = nullptr);
  bool closed() const { return closed_; }
  SessionPtr session() const { return session_; }  // null between two
  const std::shared_ptr<Coordinator>& coordinator() const { return coordinator_; }
  Graph& graph() const { return graph_; }

 private:
  MonitoredSession(Graph& graph, SessionCreator creator, MonitoredSessionOptions options);
  Status Create(CancelToken* cancel);  // once
  Status Ensure(CancelToken* cancel);  // as often as it takes
  // Ends the session, its threads and its coordinator, which learns the cause.
  Status Drop(const Status& cause, CancelToken* cancel);
  // The same after a lost task, where another session follows.
  Status DropLost(const Status& cause, CancelToken* cancel);
  Status Refined(const Status& status) const;
  template <class F>
  Status Recovering(CancelToken* cancel, F&& body);

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

// What MonitoredTrainingSession of the public API puts together: the session of a task of a cluster, with the chief
// saving checkpoints and summaries.
struct TrainingSessionOptions {
  bool is_chief = true;
  std::string checkpoint_dir = "";
  std::string summary_dir = "";  // by default the checkpoints'
  std::shared_ptr<Scaffold> scaffold = nullptr;
  std::vector<HookPtr> hooks = {};
  std::vector<HookPtr> chief_only_hooks = {};
  TimerInterval save_checkpoint = {.every_secs = 600};
  TimerInterval save_summaries = {.every_steps = 100};
  int64_t log_step_count_steps = 100;  // 0: never
  double max_wait_secs = 7200;
  double recovery_wait_secs = 30;
  double stop_grace_period_secs = 120;
  Clock* clock = &RealClock();
};
// What the hooks of such a session need of the program.
struct TrainingHookParts {
  std::function<WriterSource(const std::string& directory)> writer;  // of event files
  std::function<Result<std::shared_ptr<Saver>>(Graph&)> saver;
  std::function<Result<std::vector<Output>>()> summaries;
  CollectionCodec codec = {};
  GraphText graph_text = {};
  LogSink log = InfoLog();
  LogSink warning = WarningLog();
};
// The hooks of the task, in the order in which they are called. Intervals of 0 mean never.
Result<std::vector<HookPtr>> TrainingHooks(const TrainingSessionOptions& options, const TrainingHookParts& parts);
// REQUIRES: the cache outlives the session. `cancel` ends the wait for the first session.
Result<std::unique_ptr<MonitoredSession>> MonitoredTrainingSession(Graph& graph, SessionMaker make,
                                                                   FileWriterCache& writers,
                                                                   TrainingSessionOptions options = {},
                                                                   CancelToken* cancel = nullptr);

}  // namespace weir

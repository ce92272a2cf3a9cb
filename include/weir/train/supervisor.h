// Supervisor: runs a training loop. It creates a session with a ready model, saves the model and summaries
// periodically, and stops all its threads together. The chief does the work; other tasks wait for it. Thread-safe. The
// graph must outlive it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weir/train/coordinator.h"
#include "weir/train/file_writer.h"
#include "weir/train/graph_file.h"
#include "weir/train/queue_runner.h"
#include "weir/train/session_manager.h"

namespace weir {

class TrainingProgress;

struct SupervisorOptions {
  bool is_chief = true;
  // Directory for checkpoints, the graph and event files. If empty, none are written.
  std::string logdir = "";
  std::string checkpoint_basename = "model.ckpt";

  // If unset: the first item of the collection of that name, else the default. An empty value means none.
  std::optional<ReadyOp> ready = {};                  // default: lists uninitialized variables
  std::optional<ReadyOp> ready_for_local_init = {};   // default: none
  std::optional<std::vector<Node*>> init = {};        // default: initializes the global variables
  std::optional<std::vector<Node*>> local_init = {};  // default: initializes local variables and tables
  std::optional<std::shared_ptr<Saver>> saver = {};   // default: saves all global variables
  std::optional<Output> summary = {};                 // default: all summaries of the graph
  std::optional<Output> global_step = {};             // default: the tensor "global_step:0", if any
  std::string global_step_name = "";                  // name of the variable, for tags; default: that of its node
  std::vector<Feed> init_feeds = {};
  InitFunction init_fn = {};
  OptionalMessage<tensorflow::RunOptions> local_init_run_options = {};

  double save_summaries_secs = 120;  // 0: never; also for save_model_secs
  double save_model_secs = 600;
  double recovery_wait_secs = 30;
  double stop_grace_secs = 120;

  std::shared_ptr<SessionManager> session_manager = nullptr;  // default: made from the options above
  std::optional<SummaryWriterPtr> summary_writer = {};        // default: a FileWriter in logdir
  std::shared_ptr<Coordinator> coordinator = nullptr;         // default: its own
  CollectionCodec codec = {};                                 // for meta graphs
  // Formats the graph for graph.pbtxt in logdir. Without it, graph.pb is written.
  GraphText graph_text = {};
  Env* env = &RealEnv();
  Clock* clock = &RealClock();
};

class Supervisor final {
 public:
  // Adds missing nodes and finalizes the graph. InvalidArgument if a task other than the chief has variables without a
  // device.
  static Result<std::unique_ptr<Supervisor>> Make(Graph& graph, SupervisorOptions options = {});
  ~Supervisor();  // stops all threads
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  struct SessionOptions {
    bool wait_for_checkpoint = false;
    double max_wait_secs = 7200;
    bool start_standard_services = true;
    CancelToken* cancel = nullptr;
  };
  // Creates a session with a ready model: SessionManager::Prepare for the chief, Wait for others. Starts threads for
  // the services and the graph's queue runners.
  Result<SessionPtr> PrepareOrWaitForSession(const SessionMaker& make, const SessionOptions& options);
  Result<SessionPtr> PrepareOrWaitForSession(const SessionMaker& make) { return PrepareOrWaitForSession(make, {}); }
  // Creates a session with PrepareOrWaitForSession, calls `body` with it, then stops everything and closes the session.
  // Returns the error of the body or of a service. OutOfRange means the end of the input and is not an error.
  Status RunManaged(const SessionMaker& make, const std::function<Status(const SessionPtr&)>& body,
                    const SessionOptions& options);
  Status RunManaged(const SessionMaker& make, const std::function<Status(const SessionPtr&)>& body) {
    return RunManaged(make, body, {});
  }
  // Calls `body` periodically on a thread (nullopt: without a pause) until a stop is requested.
  void Loop(std::optional<double> interval_secs, std::function<Status()> body);
  // Starts queue runners that are not in the graph's collection. Their threads stop with the others.
  void StartQueueRunners(const SessionPtr& session, const std::vector<QueueRunnerPtr>& runners);
  bool should_stop() const { return coordinator_->should_stop(); }
  void RequestStop(const Status& error = OkStatus()) { coordinator_->RequestStop(error); }
  // Requests a stop, waits for the threads and closes the summary writer. Returns the first error reported. After the
  // grace period the threads' steps are cancelled; threads that still do not end are detached.
  Status Stop();
  // Writes a summary. FailedPrecondition without a writer.
  Status SummaryComputed(const SessionPtr& session, tensorflow::Summary summary, std::optional<int64_t> step = {});
  // The same for the output of a summary op: a string.
  Status SummaryComputed(const SessionPtr& session, const Tensor& summary, std::optional<int64_t> step = {});

  // --- Parts of the above, for callers with their own threads ---
  struct Service {
    std::string name;
    double interval_secs = 0;
    std::function<Status()> start;  // called once, before the first run
    std::function<Status()> run;
  };
  // Creates the session without starting anything.
  Result<SessionPtr> GetSession(const SessionMaker& make, const SessionOptions& options);
  // The services that save the model, compute summaries and measure the step rate. Also logs the session start to the
  // event file. FailedPrecondition unless chief; empty without a logdir.
  Result<std::vector<Service>> StandardServices(const SessionPtr& session, CancelToken* cancel = nullptr);
  Service SummaryService(SessionPtr session);
  Service StepCounterService(SessionPtr session, Output counter, std::string name);
  Service CheckpointService(SessionPtr session);
  // Shows the global step during training until EndProgress; nullopt if there is no terminal.
  std::optional<Service> ProgressService(SessionPtr session);
  void EndProgress();
  // Logs the session stop to the event file and closes it.
  Status CloseSummaryWriter();

  Graph& graph() const { return graph_; }
  bool is_chief() const { return options().is_chief; }
  const std::shared_ptr<Coordinator>& coordinator() const { return coordinator_; }
  const std::shared_ptr<SessionManager>& session_manager() const { return manager_; }
  const ReadyOp& ready() const { return *options().ready; }
  const ReadyOp& ready_for_local_init() const { return *options().ready_for_local_init; }
  const std::vector<Node*>& init() const { return *options().init; }
  const std::vector<Node*>& local_init() const { return *options().local_init; }
  const std::shared_ptr<Saver>& saver() const { return *options().saver; }
  std::optional<Output> summary() const { return options().summary->valid() ? options().summary : std::nullopt; }
  std::optional<Output> global_step() const {
    return options().global_step->valid() ? options().global_step : std::nullopt;
  }
  const SummaryWriterPtr& summary_writer() const { return *options().summary_writer; }  // null unless chief
  const std::string& save_path() const { return parts_->save_path; }                    // empty if there is none
  const SupervisorOptions& options() const { return parts_->options; }                  // with all defaults filled in

 private:
  // Shared with the services: a detached service may outlive the supervisor.
  struct Parts {
    Graph& graph;
    SupervisorOptions options;
    std::string save_path;
    Result<std::optional<int64_t>> ReadStep(Session& session, CancelToken* cancel) const;
  };
  Supervisor(Graph& graph, SupervisorOptions options)
      : graph_(graph), parts_(new Parts{graph, std::move(options), ""}) {}
  Status Complete();
  Status CheckDevices() const;
  Status WriteGraph();
  std::shared_ptr<CancelToken> steps();
  void Start(Service service);
  void JoinOrAbandonThreads();  // joins or detaches all threads

  Graph& graph_;
  const std::shared_ptr<Parts> parts_;
  std::shared_ptr<Coordinator> coordinator_;
  std::shared_ptr<SessionManager> manager_;
  std::atomic<bool> graph_written_{false};  // to the event file
  std::atomic<bool> writer_open_{true};
  std::mutex threads_mu_;
  std::shared_ptr<TrainingProgress> progress_;  // guarded by threads_mu_
  std::vector<std::unique_ptr<LooperThread>> loopers_;
  std::vector<std::unique_ptr<QueueRunnerThreads>> runners_;
  std::shared_ptr<CancelToken> steps_;  // cancels the steps of this session's services
};

}  // namespace weir

// Supervisor: what a trainer needs around its steps. It gets a session with a model that is ready, saves the model and
// its summaries at intervals, and stops all of that together. The chief does the work; other tasks wait for it.
// Thread-safe. The graph must outlive it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "train/coordinator.h"
#include "train/file_writer.h"
#include "train/graph_file.h"
#include "train/progress.h"
#include "train/queue_runner.h"
#include "train/session_manager.h"

namespace weir {

struct SupervisorOptions {
  bool is_chief = true;
  // Where checkpoints, the graph and event files go; none of them without it.
  std::string logdir = "";
  std::string checkpoint_basename = "model.ckpt";

  // What is not given is what the collection of its name has first, or else the default; an empty value means none.
  std::optional<ReadyOp> ready = {};                  // by default: names the variables without a value
  std::optional<ReadyOp> ready_for_local_init = {};   // by default: none
  std::optional<std::vector<Node*>> init = {};        // by default: initializes the global variables
  std::optional<std::vector<Node*>> local_init = {};  // by default: initializes local variables and tables
  std::optional<std::shared_ptr<Saver>> saver = {};   // by default: of all global variables
  std::optional<Output> summary = {};                 // by default: all summaries of the graph
  std::optional<Output> global_step = {};             // by default: the tensor "global_step:0", if there is one
  std::string global_step_name = "";                  // of the variable, for tags; by default its node's
  std::vector<Feed> init_feeds = {};
  InitFunction init_fn = {};
  std::optional<tensorflow::RunOptions> local_init_run_options = {};

  double save_summaries_secs = 120;  // 0: never, as for the next
  double save_model_secs = 600;
  double recovery_wait_secs = 30;
  double stop_grace_secs = 120;

  std::shared_ptr<SessionManager> session_manager = nullptr;  // instead of one made of the above
  std::optional<SummaryWriterPtr> summary_writer = {};        // by default: a FileWriter in logdir
  std::shared_ptr<Coordinator> coordinator = nullptr;         // by default: its own
  CollectionCodec codec = {};                                 // for meta graphs
  // The text form of a graph, for graph.pbtxt in logdir; without it the graph is graph.pb there.
  GraphText graph_text = {};
  Env* env = &RealEnv();
  Clock* clock = &RealClock();
};

class Supervisor final {
 public:
  // Adds the nodes that are missing and finalizes the graph. InvalidArgument where a task that is not the chief has
  // variables without a device.
  static Result<std::unique_ptr<Supervisor>> Make(Graph& graph, SupervisorOptions options = {});
  ~Supervisor();  // stops what still runs
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  struct SessionOptions {
    bool wait_for_checkpoint = false;
    double max_wait_secs = 7200;
    bool start_standard_services = true;
    CancelToken* cancel = nullptr;
  };
  // A session with a model that is ready, as SessionManager's Prepare for the chief and Wait for others. Starts the
  // services and the graph's queue runners, on threads.
  Result<SessionPtr> PrepareOrWaitForSession(const SessionMaker& make, const SessionOptions& options);
  Result<SessionPtr> PrepareOrWaitForSession(const SessionMaker& make) { return PrepareOrWaitForSession(make, {}); }
  // The same around `body`: its error, or that of a service, is the result once all has stopped and the session is
  // closed. OutOfRange is the end of the input, no error.
  Status RunManaged(const SessionMaker& make, const std::function<Status(const SessionPtr&)>& body,
                    const SessionOptions& options);
  Status RunManaged(const SessionMaker& make, const std::function<Status(const SessionPtr&)>& body) {
    return RunManaged(make, body, {});
  }
  // Calls `body` at intervals on a thread, back to back without one, until the stop.
  void Loop(std::optional<double> interval_secs, std::function<Status()> body);
  // Runners beyond those of the graph's collection, on threads that stop with the others.
  void StartQueueRunners(const SessionPtr& session, const std::vector<QueueRunnerPtr>& runners);
  bool should_stop() const { return coordinator_->should_stop(); }
  void RequestStop(const Status& error = OkStatus()) { coordinator_->RequestStop(error); }
  // Asks for a stop, waits for the threads and closes the summary writer. The first error that was reported. Threads
  // that do not end in the grace period, nor when their steps are cancelled then, are left behind.
  Status Stop();
  // A summary that a step has computed. FailedPrecondition without a writer.
  Status SummaryComputed(const SessionPtr& session, tensorflow::Summary summary, std::optional<int64_t> step = {});
  // The same as a step gives it: a string.
  Status SummaryComputed(const SessionPtr& session, const Tensor& summary, std::optional<int64_t> step = {});

  // --- the parts of the above, for those who have threads of their own
  struct Service {
    std::string name;
    double interval_secs = 0;
    std::function<Status()> start;  // once, before the first run
    std::function<Status()> run;
  };
  // The session, with nothing started.
  Result<SessionPtr> GetSession(const SessionMaker& make, const SessionOptions& options);
  // What saves the model, computes summaries and counts steps, and the note in the event file that a session begins.
  // FailedPrecondition unless chief; none without a logdir.
  Result<std::vector<Service>> StandardServices(const SessionPtr& session, CancelToken* cancel = nullptr);
  Service SummaryService(SessionPtr session);
  Service StepCounterService(SessionPtr session, Output counter, std::string name);
  Service CheckpointService(SessionPtr session);
  // Shows the global step while training goes on; none where nobody would see it. EndProgress ends that.
  std::optional<Service> ProgressService(SessionPtr session);
  void EndProgress();
  // Notes the end in the event file and closes it.
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
  const std::string& save_path() const { return parts_->save_path; }                    // empty without one
  const SupervisorOptions& options() const { return parts_->options; }                  // complete

 private:
  // What services share with it: one that is left behind may outlive it.
  struct Parts {
    Graph& graph;
    SupervisorOptions options;
    std::string save_path;
    Result<std::optional<int64_t>> StepIn(Session& session, CancelToken* cancel) const;
  };
  Supervisor(Graph& graph, SupervisorOptions options)
      : graph_(graph), parts_(new Parts{graph, std::move(options), ""}) {}
  Status Complete();
  Status CheckDevices() const;
  Status WriteGraph();
  std::shared_ptr<CancelToken> steps();
  void Start(Service service);
  void ForgetThreads();  // those that have ended, or soon will

  Graph& graph_;
  const std::shared_ptr<Parts> parts_;
  std::shared_ptr<Coordinator> coordinator_;
  std::shared_ptr<SessionManager> manager_;
  std::atomic<bool> graph_written_{false};  // to the event file
  std::atomic<bool> writer_open_{true};
  std::mutex threads_mu_;
  std::shared_ptr<TrainingProgress> progress_;  // with threads_mu_
  std::vector<std::unique_ptr<LooperThread>> loopers_;
  std::vector<std::unique_ptr<QueueRunnerThreads>> runners_;
  std::shared_ptr<CancelToken> steps_;  // ends those of the services of this session
};

}  // namespace weir

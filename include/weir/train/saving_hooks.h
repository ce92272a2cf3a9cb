// Hooks that write files: checkpoints, summaries, step rates and traces. Writers are created in Begin.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "weir/train/file_writer.h"
#include "weir/train/graph_file.h"
#include "weir/train/hooks.h"
#include "weir/train/saver.h"

namespace weir {

// Called in Begin. An empty function or a null result means that nothing is written.
using WriterSource = std::function<Result<SummaryWriterPtr>(Graph& graph)>;
WriterSource FixedWriter(SummaryWriterPtr writer);
// The writer of a directory; a new one starts with the graph. REQUIRES: the cache outlives the hook.
WriterSource WriterOfDirectory(FileWriterCache& cache, std::string logdir, CollectionCodec codec = {});

// Called around each checkpoint of a CheckpointSaverHook, on the thread that runs steps.
class CheckpointListener {
 public:
  virtual ~CheckpointListener() = default;
  virtual Status Begin() { return OkStatus(); }
  virtual Status BeforeSave(const SessionPtr& session, int64_t step) { return OkStatus(); }
  // True requests the end of training.
  virtual Result<bool> AfterSave(const SessionPtr& session, int64_t step) { return false; }
  virtual Status End(const SessionPtr& session, int64_t step) { return OkStatus(); }
};
using CheckpointListenerPtr = std::shared_ptr<CheckpointListener>;

struct CheckpointSaverOptions {
  std::string checkpoint_dir;
  TimerInterval interval = {};
  std::string checkpoint_basename = "model.ckpt";
  // Called before the first checkpoint. Default: the saver in the graph's collection.
  std::function<Result<std::shared_ptr<Saver>>(Graph& graph)> saver = {};
  std::vector<CheckpointListenerPtr> listeners = {};
  WriterSource writer = {};  // records the paths of checkpoints
  CollectionCodec codec = {};
  // Formats the graph for graph.pbtxt beside the checkpoints. Without it, graph.pb is written.
  GraphText graph_text = {};
  LogSink log = InfoLog();
  Env* env = &RealEnv();
  // How to run the saver's steps. Default: directly in the session.
  std::function<RunStep(const SessionPtr&)> run = {};
};

// Saves the model when a session is created, every N seconds or steps, and at the end.
class CheckpointSaverHook final : public SessionRunHook {
 public:
  static Result<std::shared_ptr<CheckpointSaverHook>> Make(CheckpointSaverOptions options);
  Status Begin(Graph& graph) override;
  Status AfterCreateSession(const SessionPtr& session, const std::shared_ptr<Coordinator>&,
                            CancelToken* cancel) override;
  Result<HookRequest> BeforeRun(RunContext& context) override;
  Status AfterRun(RunContext& context, const RunValues& values) override;
  Status End(const SessionPtr& session, CancelToken* cancel) override;
  CheckpointSaverHook* checkpoint_saver() override { return this; }
  // REQUIRES: the session has not begun.
  void AddListener(CheckpointListenerPtr listener) { options_.listeners.push_back(std::move(listener)); }
  const TimerPtr& timer() const { return timer_; }

 private:
  CheckpointSaverHook(CheckpointSaverOptions options, TimerPtr timer)
      : options_(std::move(options)), timer_(std::move(timer)) {}
  Result<std::shared_ptr<Saver>> FindSaver() const;
  Status WriteGraph(const std::shared_ptr<Saver>& saver);
  // True if a listener requests a stop.
  Result<bool> Save(const SessionPtr& session, int64_t step, CancelToken* cancel, bool is_first = false);

  CheckpointSaverOptions options_;
  const TimerPtr timer_;
  SummaryWriterPtr writer_;
  Graph* graph_ = nullptr;
  Output global_step_;
};

struct SummarySaverOptions {
  TimerInterval interval = {};
  // Called for each summary. Returns the tensors to run; empty if there is nothing to summarize.
  std::function<Result<std::vector<Output>>()> summaries = {};
  WriterSource writer = {};
};

// Runs summaries with the first step and then every N seconds or steps, and writes them.
class SummarySaverHook final : public SessionRunHook {
 public:
  static Result<std::shared_ptr<SummarySaverHook>> Make(SummarySaverOptions options);
  Status Begin(Graph& graph) override;
  Result<HookRequest> BeforeRun(RunContext& context) override;
  Status AfterRun(RunContext& context, const RunValues& values) override;
  Status End(const SessionPtr& session, CancelToken* cancel) override;
  const TimerPtr& timer() const { return timer_; }

 private:
  SummarySaverHook(SummarySaverOptions options, TimerPtr timer)
      : options_(std::move(options)), timer_(std::move(timer)) {}
  const SummarySaverOptions options_;
  const TimerPtr timer_;
  SummaryWriterPtr writer_;
  Output global_step_;
  std::optional<int64_t> next_step_;
  bool due_ = false;
};

// Writes steps per second to a summary "global_step/sec" and to the log.
class StepCounterHook final : public SessionRunHook {
 public:
  // Called with a measurement instead of Record().
  using Recorder = std::function<Status(const SecondOrStepTimer::Elapsed& elapsed, int64_t step)>;
  static Result<std::shared_ptr<StepCounterHook>> Make(TimerInterval interval, WriterSource writer,
                                                       LogSink log = InfoLog(), LogSink warning = WarningLog(),
                                                       Recorder recorder = {});
  // Logs the rate and writes its summary.
  Status Record(const SecondOrStepTimer::Elapsed& elapsed, int64_t step);
  // By how much a run increments the global step, if not by one.
  void set_steps_per_run(int64_t steps) { steps_per_run_ = steps; }
  Status Begin(Graph& graph) override;
  Result<HookRequest> BeforeRun(RunContext& context) override;
  Status AfterRun(RunContext& context, const RunValues& values) override;
  const TimerPtr& timer() const { return timer_; }

 private:
  StepCounterHook(TimerPtr timer, WriterSource source, LogSink log, LogSink warning, Recorder recorder)
      : timer_(std::move(timer)),
        source_(std::move(source)),
        log_(std::move(log)),
        warning_(std::move(warning)),
        recorder_(std::move(recorder)) {}
  const TimerPtr timer_;
  const WriterSource source_;
  const LogSink log_;
  const LogSink warning_;
  const Recorder recorder_;
  int64_t steps_per_run_ = 1;
  SummaryWriterPtr writer_;
  Output global_step_;
  std::string tag_;
  std::optional<int64_t> last_seen_;
  int unmoved_ = 0;
};

// Traces a step every N seconds or steps: writes timeline-STEP.json for chrome://tracing, and the trace to the event
// file.
struct ProfilerOptions {
  TimerInterval interval = {};
  std::string output_dir = "";
  // Formats the trace of a step as the content of the file.
  std::function<Result<std::string>(const tensorflow::StepStats&)> timeline;
  WriterSource writer = {};
  LogSink log = InfoLog();
  Env* env = &RealEnv();
};
class ProfilerHook final : public SessionRunHook {
 public:
  static Result<std::shared_ptr<ProfilerHook>> Make(ProfilerOptions options);
  Status Begin(Graph& graph) override;
  Result<HookRequest> BeforeRun(RunContext& context) override;
  Status AfterRun(RunContext& context, const RunValues& values) override;
  const TimerPtr& timer() const { return timer_; }

 private:
  ProfilerHook(ProfilerOptions options, TimerPtr timer) : options_(std::move(options)), timer_(std::move(timer)) {}
  const ProfilerOptions options_;
  const TimerPtr timer_;
  SummaryWriterPtr writer_;
  Output global_step_;
  std::optional<int64_t> next_step_;
  bool due_ = false;
};

}  // namespace weir

#include "train/monitored_session.h"

#include <limits>
#include <unordered_set>

#include "train/backoff.h"
#include "train/log.h"
#include "train/progress.h"

namespace weir {
namespace {

// Merges the run options of the caller and the hooks; the most demanding one wins.
void Merge(const tensorflow::RunOptions& from, tensorflow::RunOptions* to) {
  to->set_trace_level(std::max(to->trace_level(), from.trace_level()));
  to->set_timeout_in_ms(std::max(to->timeout_in_ms(), from.timeout_in_ms()));
  if (from.inter_op_thread_pool() != 0) to->set_inter_op_thread_pool(from.inter_op_thread_pool());
  to->set_output_partition_graphs(to->output_partition_graphs() || from.output_partition_graphs());
  if (from.has_debug_options()) to->mutable_debug_options()->MergeFrom(from.debug_options());
}

Status AddFeeds(const HookRequest& wanted, std::unordered_set<Output, OutputHash>* by_hooks,
                const std::unordered_set<Output, OutputHash>& by_caller, std::vector<Feed>* feeds) {
  for (const Feed& feed : wanted.feeds) {
    if (!by_hooks->insert(feed.output).second)
      return SetupError(FailedPrecondition("Same tensor is fed by two hooks."));
    if (by_caller.contains(feed.output))
      return SetupError(FailedPrecondition("Same tensor is fed by a SessionRunHook and user."));
    feeds->push_back(feed);
  }
  return OkStatus();
}

}  // namespace

SessionCreator ChiefSessionCreator(Graph& graph, std::shared_ptr<Scaffold> scaffold, SessionMaker make,
                                   ChiefSessionOptions options) {
  return [&graph, scaffold = std::move(scaffold), make = std::move(make),
          options = std::move(options)](CancelToken* cancel) -> Result<SessionPtr> {
    WEIR_TRY(scaffold->Finalize(graph));
    WEIR_ASSIGN(const auto manager, SessionManager::Make(graph, scaffold->session_manager_options(
                                                                    options.recovery_wait_secs, options.clock)));
    RestoreOptions restore;
    restore.checkpoint_dir = options.checkpoint_dir;
    restore.checkpoint_path = options.checkpoint_path;
    restore.cancel = cancel;
    return manager->Prepare(make, scaffold->prepare_options(std::move(restore)));
  };
}

SessionCreator WorkerSessionCreator(Graph& graph, std::shared_ptr<Scaffold> scaffold, SessionMaker make,
                                    WorkerSessionOptions options) {
  return [&graph, scaffold = std::move(scaffold), make = std::move(make),
          options](CancelToken* cancel) -> Result<SessionPtr> {
    WEIR_TRY(scaffold->Finalize(graph));
    WEIR_ASSIGN(const auto manager, SessionManager::Make(graph, scaffold->session_manager_options(
                                                                    options.recovery_wait_secs, options.clock)));
    return manager->Wait(make, {.max_wait_secs = options.max_wait_secs, .cancel = cancel});
  };
}

MonitoredSession::MonitoredSession(Graph& graph, SessionCreator creator, MonitoredSessionOptions options)
    : graph_(graph), creator_(std::move(creator)), options_(std::move(options)), was_finalized_(graph.finalized()) {}

Result<std::unique_ptr<MonitoredSession>> MonitoredSession::Make(Graph& graph, SessionCreator creator,
                                                                 MonitoredSessionOptions options, CancelToken* cancel) {
  if (options.progress == nullptr) options.progress = TrainingProgress::Begin();
  if (options.progress != nullptr) options.hooks.push_back(std::make_shared<ProgressHook>(options.progress));
  std::unique_ptr<MonitoredSession> made(new MonitoredSession(graph, std::move(creator), std::move(options)));
  for (const HookPtr& hook : made->options_.hooks) WEIR_TRY(hook->Begin(graph));
  WEIR_TRY(made->EnsureSession(cancel));
  return made;
}

MonitoredSession::~MonitoredSession() {
  if (!closed_) Close(/*failed=*/true, nullptr).IgnoreError();
}

Status MonitoredSession::Create(CancelToken* cancel) {
  WEIR_ASSIGN(session_, creator_(cancel));
  stop_ = false;
  if (options_.make_coordinator) {
    WEIR_ASSIGN(coordinator_, options_.make_coordinator());
  } else {
    coordinator_ = std::make_shared<Coordinator>(std::set<StatusCode>(), *options_.clock);
  }
  if (options_.start_queue_runners) {
    WEIR_TRY(options_.start_queue_runners(session_, coordinator_));
  } else {
    runners_ = StartQueueRunners(graph_, session_, coordinator_);
  }
  for (const HookPtr& hook : options_.hooks) WEIR_TRY(hook->AfterCreateSession(session_, coordinator_, cancel));
  return OkStatus();
}

Status MonitoredSession::EnsureSession(CancelToken* cancel) {
  if (session_ != nullptr) return OkStatus();
  Backoff backoff(options_.recovery_wait_secs, std::numeric_limits<double>::infinity(), cancel, *options_.clock);
  while (true) {
    Status status = Create(cancel);
    if (status.ok()) return OkStatus();
    EndSession(status, cancel).IgnoreError();
    if (!options_.recover || !IsPreemption(status)) return status;
    TrainInfo("Could not create a session, probably because a task is not running yet. Retrying. {}",
              std::string(status.message()));
    WEIR_TRY(backoff.Wait());
  }
}

Status MonitoredSession::EndSession(const Status& cause, CancelToken* cancel) {
  Status status;
  if (coordinator_ != nullptr) {
    coordinator_->RequestStop(IsPreemption(cause) ? cause : OkStatus());
    if (options_.join) {
      status = options_.join(coordinator_);
    } else {
      Coordinator::JoinOptions join;
      join.stop_grace_period_secs = options_.stop_grace_period_secs;
      join.ignore_live_threads = true;
      join.interrupted = [cancel] { return cancel != nullptr && cancel->cancelled(); };
      status = coordinator_->Join(std::move(join));
    }
  }
  if (session_ != nullptr) session_->Close().IgnoreError();
  if (runners_ != nullptr) runners_->JoinOrAbandon();
  runners_.reset();
  session_ = nullptr;
  coordinator_ = nullptr;
  return status;
}

Status MonitoredSession::EndLostSession(const Status& cause, CancelToken* cancel) {
  TrainWarning("A task was lost or restarted. Closing the session and creating a new one. {}",
               std::string(cause.message()));
  Status dropped = EndSession(cause, cancel);
  return IsPreemption(dropped) ? OkStatus() : dropped;
}

// If a thread failed because of a lost task, that is the cause of the step's failure.
Status MonitoredSession::RootCause(const Status& status) const {
  if (status.ok() || IsPreemption(status) || coordinator_ == nullptr) return status;
  const Status reported = coordinator_->error();
  return IsPreemption(reported) ? reported : status;
}

template <class F>
Status MonitoredSession::RunWithRecovery(CancelToken* cancel, F&& body) {
  if (closed_) return SetupError(FailedPrecondition("Session is already closed."));
  std::optional<Backoff> backoff;  // set after the first loss, which is retried without a pause
  while (true) {
    WEIR_TRY(EnsureSession(cancel));
    Status status = RootCause(body());
    if (!options_.recover || !IsPreemption(status)) return status;
    WEIR_TRY(EndLostSession(status, cancel));
    if (backoff) WEIR_TRY(backoff->Wait());
    if (!backoff)
      backoff.emplace(options_.recovery_wait_secs, std::numeric_limits<double>::infinity(), cancel, *options_.clock);
  }
}

Result<std::vector<Tensor>> MonitoredSession::Run(const RunRequest& request, const std::any& note) {
  std::vector<Tensor> values;
  WEIR_TRY(RunWithRecovery(request.cancel, [&]() -> Status {
    WEIR_ASSIGN(values, RunHooked(request, note));
    return OkStatus();
  }));
  return values;
}

Status MonitoredSession::RunStepFn(const std::function<Status(const SessionPtr&)>& body, CancelToken* cancel) {
  return RunWithRecovery(cancel, [&] { return body(session_); });
}

Result<std::vector<Tensor>> MonitoredSession::RunHooked(const RunRequest& request, const std::any& note) {
  if (closed_ || session_ == nullptr) return SetupError(FailedPrecondition("Session is already closed."));
  if (stop_) return SetupError(FailedPrecondition("Run called even after should_stop requested."));
  RunContext context(session_, request);
  context.note = note;
  context.progress = options_.progress;
  RunRequest all = request;
  tensorflow::RunOptions run_options;
  if (request.options != nullptr) {
    run_options = *request.options;
    all.options = &run_options;
  }
  tensorflow::RunMetadata metadata;

  std::unordered_set<Output, OutputHash> by_caller;
  std::unordered_set<Output, OutputHash> by_hooks;
  for (const Feed& feed : request.feeds) by_caller.insert(feed.output);
  std::vector<size_t> counts;
  for (const HookPtr& hook : options_.hooks) {
    WEIR_ASSIGN(const HookRequest wanted, hook->BeforeRun(context));
    WEIR_TRY(AddFeeds(wanted, &by_hooks, by_caller, &all.feeds));
    all.fetches.insert(all.fetches.end(), wanted.fetches.begin(), wanted.fetches.end());
    all.targets.insert(all.targets.end(), wanted.targets.begin(), wanted.targets.end());
    if (wanted.options) {
      Merge(*wanted.options, &run_options);
      // Set only on request: a step without options costs nothing extra.
      all.options = &run_options;
      if (all.metadata == nullptr) all.metadata = &metadata;
    }
    counts.push_back(wanted.fetches.size());
  }
  std::vector<Tensor> values;
  if (!all.fetches.empty() || !all.targets.empty()) {
    WEIR_ASSIGN(values, session_->Run(all));
  }
  auto next = values.begin() + static_cast<int64_t>(request.fetches.size());
  for (size_t i = 0; i < options_.hooks.size(); ++i) {
    const auto end = next + static_cast<int64_t>(counts[i]);
    const RunValues seen{std::vector<Tensor>(next, end), run_options,
                         all.metadata == nullptr ? metadata : *all.metadata};
    next = end;
    WEIR_TRY(options_.hooks[i]->AfterRun(context, seen));
  }
  stop_ = stop_ || context.stop_requested();
  values.resize(request.fetches.size());
  return values;
}

bool MonitoredSession::stop_requested() const {
  return closed_ || stop_ || (coordinator_ != nullptr && coordinator_->should_stop());
}

Result<bool> MonitoredSession::ShouldStop(CancelToken* cancel) {
  if (closed_ || coordinator_ == nullptr || !coordinator_->should_stop()) return closed_ || stop_;
  const Status error = coordinator_->error();
  if (!options_.recover) {
    WEIR_TRY(error);
    return true;
  }
  if (!IsPreemption(error)) return true;
  WEIR_TRY(EndLostSession(error, cancel));
  WEIR_TRY(EnsureSession(cancel));
  return false;
}

Status MonitoredSession::Close(bool failed, CancelToken* cancel) {
  if (closed_) return SetupError(FailedPrecondition("Session is already closed."));
  Status status;
  if (!failed && session_ != nullptr)
    for (const HookPtr& hook : options_.hooks) {
      status = hook->End(session_, cancel);
      if (!status.ok()) break;
    }
  if (options_.progress != nullptr) options_.progress->End();
  Status dropped = EndSession(OkStatus(), cancel);
  if (options_.recover && IsPreemption(dropped)) dropped = OkStatus();
  closed_ = true;
  if (!was_finalized_) graph_.Unfinalize();
  return status.ok() ? dropped : status;
}

namespace {

// The interval without limits that are not positive; nullopt if nothing is left, which means never.
std::optional<TimerInterval> ValidInterval(TimerInterval interval) {
  if (interval.every_secs && !(*interval.every_secs > 0)) interval.every_secs = {};
  if (interval.every_steps && *interval.every_steps <= 0) interval.every_steps = {};
  if (!interval.every_secs && !interval.every_steps) return std::nullopt;
  return interval;
}

}  // namespace

Result<std::vector<HookPtr>> TrainingHooks(const TrainingSessionOptions& options, const TrainingHookParts& parts) {
  if (!options.is_chief) return options.hooks;
  std::vector<HookPtr> hooks = options.chief_only_hooks;
  const std::string summary_dir = options.summary_dir.empty() ? options.checkpoint_dir : options.summary_dir;
  if (!summary_dir.empty() && options.log_step_count_steps > 0) {
    WEIR_ASSIGN(HookPtr hook, StepCounterHook::Make({.every_steps = options.log_step_count_steps},
                                                    parts.writer(summary_dir), parts.log, parts.warning));
    hooks.push_back(std::move(hook));
  }
  if (const auto interval = ValidInterval(options.save_summaries); interval && !summary_dir.empty()) {
    SummarySaverOptions summaries;
    summaries.interval = *interval;
    summaries.writer = parts.writer(summary_dir);
    summaries.summaries = parts.summaries;
    WEIR_ASSIGN(HookPtr hook, SummarySaverHook::Make(std::move(summaries)));
    hooks.push_back(std::move(hook));
  }
  if (const auto interval = ValidInterval(options.save_checkpoint); interval && !options.checkpoint_dir.empty()) {
    CheckpointSaverOptions checkpoints;
    checkpoints.checkpoint_dir = options.checkpoint_dir;
    checkpoints.interval = *interval;
    checkpoints.writer = parts.writer(options.checkpoint_dir);
    checkpoints.saver = parts.saver;
    checkpoints.graph_text = parts.graph_text;
    checkpoints.log = parts.log;
    checkpoints.env = options.env;
    if (parts.codec.to_item) checkpoints.codec = parts.codec;
    WEIR_ASSIGN(HookPtr hook, CheckpointSaverHook::Make(std::move(checkpoints)));
    hooks.push_back(std::move(hook));
  }
  hooks.insert(hooks.end(), options.hooks.begin(), options.hooks.end());
  return hooks;
}

Result<std::unique_ptr<MonitoredSession>> MonitoredTrainingSession(Graph& graph, SessionMaker make,
                                                                   FileWriterCache& writers,
                                                                   TrainingSessionOptions options,
                                                                   CancelToken* cancel) {
  std::shared_ptr<Scaffold> scaffold = options.scaffold;
  if (scaffold == nullptr) {
    scaffold = std::make_shared<Scaffold>();
    scaffold->env = options.env;
  }
  MonitoredSessionOptions session;
  session.stop_grace_period_secs = options.stop_grace_period_secs;
  session.recovery_wait_secs = options.recovery_wait_secs;
  session.clock = options.clock;
  TrainingHookParts parts;
  parts.writer = [&writers](const std::string& directory) { return WriterOfDirectory(writers, directory); };
  parts.saver = [scaffold](Graph&) -> Result<std::shared_ptr<Saver>> { return scaffold->saver; };
  parts.summaries = [scaffold]() -> Result<std::vector<Output>> {
    return scaffold->summary ? std::vector<Output>{*scaffold->summary} : std::vector<Output>();
  };
  WEIR_ASSIGN(session.hooks, TrainingHooks(options, parts));
  SessionCreator creator = options.is_chief ? ChiefSessionCreator(graph, scaffold, std::move(make),
                                                                  {.checkpoint_dir = options.checkpoint_dir,
                                                                   .recovery_wait_secs = options.recovery_wait_secs,
                                                                   .clock = options.clock})
                                            : WorkerSessionCreator(graph, scaffold, std::move(make),
                                                                   {.max_wait_secs = options.max_wait_secs,
                                                                    .recovery_wait_secs = options.recovery_wait_secs,
                                                                    .clock = options.clock});
  return MonitoredSession::Make(graph, std::move(creator), std::move(session), cancel);
}

}  // namespace weir

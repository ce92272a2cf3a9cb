#include "train/supervisor.h"

#include <limits>

#include "graph/compose/variable.h"
#include "graph/graph_def.h"
#include "graph/graph_keys.h"
#include "train/global_step.h"
#include "train/graph_file.h"
#include "train/log.h"
#include "train/model_parts.h"

namespace weir {
namespace {

Status CompleteInit(const ModelParts& parts, Graph& graph, SupervisorOptions& options) {
  if (!options.init) {
    WEIR_ASSIGN(options.init, parts.FindOrMakeNodes(graph_keys::kInitOp, [&]() -> Result<Node*> {
      Node* const init = InitializeVariables(graph, GlobalVariables(graph));
      WEIR_TRY(graph.TakeError());
      return init;
    }));
  }
  if (!options.local_init) {
    WEIR_ASSIGN(options.local_init, parts.FindOrMakeNodes(graph_keys::kLocalInitOp, [&] { return parts.LocalInit(); }));
  }
  return OkStatus();
}

Status CompleteReady(const ModelParts& parts, Graph& graph, SupervisorOptions& options) {
  if (!options.ready) {
    WEIR_ASSIGN(options.ready, parts.FindOrMake(graph_keys::kReadyOp, [&]() -> Result<Output> {
      const Output names = ReportUninitialized(graph, parts.AllVariables());
      WEIR_TRY(graph.TakeError());
      return names;
    }));
  }
  if (!options.ready_for_local_init) {
    WEIR_ASSIGN(const std::optional<ReadyOp> found, parts.Find(graph_keys::kReadyForLocalInitOp));
    options.ready_for_local_init = found.value_or(ReadyOp());
  }
  return OkStatus();
}

Status CompleteSaving(const ModelParts& parts, Graph& graph, SupervisorOptions& options) {
  if (!options.saver) {
    WEIR_ASSIGN(options.saver, parts.FindOrMakeSaver([&]() -> Result<std::shared_ptr<Saver>> {
      if (GlobalVariables(graph).empty()) return std::shared_ptr<Saver>();
      SaverOptions saver;
      saver.env = options.env;
      return Saver::Make(graph, std::move(saver));
    }));
  }
  if (!options.summary) {
    WEIR_ASSIGN(const std::optional<Output> summary, parts.Summary());
    options.summary = summary.value_or(Output());
  }
  return OkStatus();
}

void CompleteGlobalStep(Graph& graph, SupervisorOptions& options) {
  if (options.global_step) return;
  const Result<GlobalStep> found = FindGlobalStep(graph, OfSeveral::kFirst);
  if (!found.ok()) TrainWarning("{}", std::string(found.status().message()));
  const GlobalStep step = found.ok() ? *found : GlobalStep();
  options.global_step = step.value;
  options.global_step_name = step.name;
  if (step.value.valid() && !step.in_collection) graph.collections().Add(graph_keys::kGlobalStep, step.value);
}

}  // namespace

Result<std::unique_ptr<Supervisor>> Supervisor::Make(Graph& graph, SupervisorOptions options) {
  std::unique_ptr<Supervisor> made(new Supervisor(graph, std::move(options)));
  WEIR_TRY(made->Complete());
  WEIR_TRY(made->CheckDevices());
  graph.Finalize();
  return made;
}

Status Supervisor::Complete() {
  SupervisorOptions& options = parts_->options;
  const ModelParts parts(graph_, ModelParts::Several::kFirst);
  WEIR_TRY(CompleteReady(parts, graph_, options));
  WEIR_TRY(CompleteInit(parts, graph_, options));
  WEIR_TRY(CompleteSaving(parts, graph_, options));
  CompleteGlobalStep(graph_, options);
  if (options.global_step->valid() && options.global_step_name.empty())
    options.global_step_name = options.global_step->node->name();
  if (!options.is_chief) {
    options.logdir = "";
    options.summary_writer = nullptr;
  }
  if (!options.logdir.empty()) parts_->save_path = JoinPath(options.logdir, options.checkpoint_basename);
  if (!options.summary_writer) {
    options.summary_writer = nullptr;
    if (!options.logdir.empty()) {
      WEIR_ASSIGN(options.summary_writer, FileWriter::Make(options.logdir, {.env = options.env}));
    }
  }
  if (!options.codec.to_item) options.codec = SaverCodec(*options.env);
  coordinator_ = options.coordinator != nullptr ? options.coordinator : std::make_shared<Coordinator>();
  manager_ = options.session_manager;
  if (manager_ != nullptr) return OkStatus();
  WEIR_ASSIGN(manager_, SessionManager::Make(graph_, {.local_init = *options.local_init,
                                                      .ready = *options.ready,
                                                      .ready_for_local_init = *options.ready_for_local_init,
                                                      .recovery_wait_secs = options.recovery_wait_secs,
                                                      .local_init_run_options = options.local_init_run_options,
                                                      .env = options.env,
                                                      .clock = options.clock}));
  return OkStatus();
}

Status Supervisor::CheckDevices() const {
  if (is_chief()) return OkStatus();
  for (const Node* node : graph_.Nodes())
    if (node->op().traits.state == StateRole::kVariable && node->device().empty())
      return InvalidArgument("When using replicas, all Variables must have their device set: {}", node->name());
  return OkStatus();
}

Supervisor::~Supervisor() {
  {
    std::lock_guard<std::mutex> lock(threads_mu_);
    if (loopers_.empty() && runners_.empty()) return;
  }
  coordinator_->RequestStop();
  coordinator_->Join({.stop_grace_period_secs = options().stop_grace_secs}).IgnoreError();
  JoinOrAbandonThreads();
}

Result<SessionPtr> Supervisor::GetSession(const SessionMaker& make, const SessionOptions& options) {
  coordinator_->ClearStop();
  {
    std::lock_guard<std::mutex> lock(threads_mu_);
    steps_ = std::make_shared<CancelToken>();
  }
  if (summary_writer() != nullptr) {
    WEIR_TRY(summary_writer()->Reopen());
    writer_open_ = true;
  }
  if (!is_chief()) return manager_->Wait(make, {.max_wait_secs = options.max_wait_secs, .cancel = options.cancel});
  WEIR_ASSIGN(SessionPtr session,
              manager_->Prepare(make, {.restore = {.saver = saver(),
                                                   .checkpoint_dir = this->options().logdir,
                                                   .wait_for_checkpoint = options.wait_for_checkpoint,
                                                   .max_wait_secs = options.max_wait_secs,
                                                   .cancel = options.cancel},
                                       .init = init(),
                                       .init_feeds = this->options().init_feeds,
                                       .init_fn = this->options().init_fn}));
  if (Status status = WriteGraph(); !status.ok()) {
    session->Close().IgnoreError();
    return status;
  }
  return session;
}

Status Supervisor::WriteGraph() {
  const SupervisorOptions& given = options();
  if (given.logdir.empty() && (summary_writer() == nullptr || graph_written_)) return OkStatus();
  WEIR_ASSIGN(const tensorflow::GraphDef def, ExportGraphDef(graph_, {.add_shapes = true}));
  if (!given.logdir.empty()) WEIR_TRY(WriteGraphFile(*given.env, given.logdir, def, given.graph_text));
  if (summary_writer() == nullptr || graph_written_) return OkStatus();
  graph_written_ = true;
  WEIR_TRY(summary_writer()->AddGraph(def));
  tensorflow::MetaGraphDef meta;
  *meta.mutable_graph_def() = def;
  if (saver() != nullptr) *meta.mutable_saver_def() = saver()->def();
  return summary_writer()->AddMetaGraph(meta);
}

Result<std::optional<int64_t>> Supervisor::Parts::ReadStep(Session& session, CancelToken* cancel) const {
  if (!options.global_step->valid()) return std::nullopt;
  WEIR_ASSIGN(const int64_t step, ReadGlobalStep(session, *options.global_step, cancel));
  return step;
}

std::shared_ptr<CancelToken> Supervisor::steps() {
  std::lock_guard<std::mutex> lock(threads_mu_);
  return steps_;
}

Supervisor::Service Supervisor::SummaryService(SessionPtr session) {
  return {"summaries", options().save_summaries_secs, [] { return OkStatus(); },
          [parts = parts_, session, cancel = steps()]() -> Status {
            const SupervisorOptions& given = parts->options;
            if (!given.summary->valid()) return OkStatus();
            RunRequest request = {.fetches = {*given.summary}, .cancel = cancel.get()};
            WEIR_ASSIGN(const std::vector<Tensor> values, session->Run(request));
            WEIR_ASSIGN(const std::optional<int64_t> step, parts->ReadStep(*session, cancel.get()));
            const SummaryWriterPtr& writer = *given.summary_writer;
            if (writer == nullptr) return OkStatus();
            TrainInfo("Recording summary at step {}.", step ? std::to_string(*step) : "None");
            tensorflow::Summary message;
            if (values[0].dtype() != kString || values[0].num_elements() != 1 ||
                !message.ParseFromString(values[0].flat<std::string>()[0]))
              return InvalidArgument("'{}' did not return a serialized Summary", given.summary->name());
            return writer->AddSummary(std::move(message), step);
          }};
}

Supervisor::Service Supervisor::StepCounterService(SessionPtr session, Output counter, std::string name) {
  struct Last {
    double time = 0;
    int64_t step = 0;
    int logged = 0;
  };
  const auto seconds = [clock = options().clock] { return static_cast<double>(clock->MonotonicNanos()) / 1e9; };
  auto last = std::make_shared<Last>();
  const std::shared_ptr<CancelToken> cancel = steps();
  return {"step counter", options().save_summaries_secs,
          [session, counter, last, seconds, cancel]() -> Status {
            last->time = seconds();
            WEIR_ASSIGN(last->step, ReadGlobalStep(*session, counter, cancel.get()));
            return OkStatus();
          },
          [parts = parts_, session, counter, last, seconds, cancel, tag = std::move(name) + "/sec"]() -> Status {
            WEIR_ASSIGN(const int64_t step, ReadGlobalStep(*session, counter, cancel.get()));
            const double now = seconds();
            const double elapsed = now - last->time;
            const double rate = elapsed > 0 ? static_cast<double>(step - last->step) / elapsed
                                            : std::numeric_limits<double>::infinity();
            *last = {now, step, last->logged + 1};
            constexpr int kLogged = 10;
            if (last->logged <= kLogged) TrainInfo("{}: {:g}", tag, rate);
            const SummaryWriterPtr& writer = *parts->options.summary_writer;
            if (writer == nullptr) return OkStatus();
            tensorflow::Summary message;
            tensorflow::Summary::Value* const value = message.add_value();
            value->set_tag(tag);
            value->set_simple_value(static_cast<float>(rate));
            return writer->AddSummary(std::move(message), step);
          }};
}

Supervisor::Service Supervisor::CheckpointService(SessionPtr session) {
  return {"checkpoints", options().save_model_secs, [] { return OkStatus(); },
          [parts = parts_, session, cancel = steps()]() -> Status {
            const SupervisorOptions& given = parts->options;
            TrainInfo("Saving checkpoint to path {}", parts->save_path);
            SaveOptions save;
            WEIR_ASSIGN(save.global_step, parts->ReadStep(*session, cancel.get()));
            save.meta_graph.codec = given.codec;
            const RunStep run = [&](RunRequest request) {
              request.cancel = cancel.get();
              return session->Run(request);
            };
            WEIR_TRY((*given.saver)->Save(parts->graph, run, parts->save_path, save).status());
            const SummaryWriterPtr& writer = *given.summary_writer;
            if (writer == nullptr || !given.global_step) return OkStatus();
            tensorflow::SessionLog log;
            log.set_status(tensorflow::SessionLog::CHECKPOINT);
            log.set_checkpoint_path(parts->save_path);
            WEIR_ASSIGN(const auto step, parts->ReadStep(*session, cancel.get()));
            return writer->AddSessionLog(std::move(log), step);
          }};
}

std::optional<Supervisor::Service> Supervisor::ProgressService(SessionPtr session) {
  if (!global_step()) return std::nullopt;
  std::shared_ptr<TrainingProgress> progress = TrainingProgress::Begin();
  if (progress == nullptr) return std::nullopt;
  {
    std::lock_guard<std::mutex> lock(threads_mu_);
    progress_ = progress;
  }
  constexpr double kIntervalSecs = 0.5;
  return Service{"progress", kIntervalSecs, [] { return OkStatus(); },
                 [progress, session = std::move(session), step = *global_step(), cancel = steps()]() -> Status {
                   // Errors are ignored here: the training steps report them.
                   const Result<int64_t> now = ReadGlobalStep(*session, step, cancel.get());
                   if (now.ok()) progress->NoteGlobalStep(*now);
                   return OkStatus();
                 }};
}

void Supervisor::EndProgress() {
  std::lock_guard<std::mutex> lock(threads_mu_);
  if (progress_ != nullptr) progress_->End();
  progress_ = nullptr;
}

Result<std::vector<Supervisor::Service>> Supervisor::StandardServices(const SessionPtr& session, CancelToken* cancel) {
  if (!is_chief())
    return FailedPrecondition(
        "Only chief supervisor can start standard services. Because only chief supervisors can write events.");
  std::vector<Service> services;
  if (options().logdir.empty()) {
    TrainWarning("Standard services need a 'logdir' passed to the SessionManager");
    return services;
  }
  if (global_step() && summary_writer() != nullptr) {
    tensorflow::SessionLog log;
    log.set_status(tensorflow::SessionLog::START);
    WEIR_ASSIGN(const auto step, parts_->ReadStep(*session, cancel));
    WEIR_TRY(summary_writer()->AddSessionLog(std::move(log), step));
  }
  if (options().save_summaries_secs > 0 && summary_writer() != nullptr) {
    if (summary()) services.push_back(SummaryService(session));
    if (global_step()) services.push_back(StepCounterService(session, *global_step(), options().global_step_name));
  }
  if (saver() != nullptr && options().save_model_secs > 0) services.push_back(CheckpointService(session));
  return services;
}

void Supervisor::Start(Service service) {
  auto body = [service, started = false]() mutable -> Status {
    if (!started) WEIR_TRY(service.start());
    started = true;
    return service.run();
  };
  std::lock_guard<std::mutex> lock(threads_mu_);
  loopers_.push_back(
      std::make_unique<LooperThread>(coordinator_, service.name, service.interval_secs, std::move(body)));
}

void Supervisor::Loop(std::optional<double> interval_secs, std::function<Status()> body) {
  std::lock_guard<std::mutex> lock(threads_mu_);
  loopers_.push_back(std::make_unique<LooperThread>(coordinator_, "loop", interval_secs, std::move(body)));
}

Result<SessionPtr> Supervisor::PrepareOrWaitForSession(const SessionMaker& make, const SessionOptions& options) {
  WEIR_ASSIGN(SessionPtr session, GetSession(make, options));
  if (!options.start_standard_services) return session;
  if (is_chief()) {
    Result<std::vector<Service>> services = StandardServices(session, options.cancel);
    if (!services.ok()) {
      session->Close().IgnoreError();
      return services.status();
    }
    for (Service& service : *services) Start(std::move(service));
  }
  if (std::optional<Service> progress = ProgressService(session)) Start(*std::move(progress));
  auto runners = weir::StartQueueRunners(graph_, session, coordinator_);
  std::lock_guard<std::mutex> lock(threads_mu_);
  runners_.push_back(std::move(runners));
  return session;
}

void Supervisor::StartQueueRunners(const SessionPtr& session, const std::vector<QueueRunnerPtr>& runners) {
  std::lock_guard<std::mutex> lock(threads_mu_);
  for (const QueueRunnerPtr& runner : runners)
    runners_.push_back(std::make_unique<QueueRunnerThreads>(coordinator_, runner->Loops(session, coordinator_)));
}

Status Supervisor::RunManaged(const SessionMaker& make, const std::function<Status(const SessionPtr&)>& body,
                              const SessionOptions& options) {
  const Result<SessionPtr> session = PrepareOrWaitForSession(make, options);
  if (!session.ok()) {  // return every error, even OutOfRange: there is no input before a session exists
    Stop().IgnoreError();
    return session.status();
  }
  coordinator_->RequestStop(body(*session));
  Status stopped = Stop();
  (*session)->Close().IgnoreError();
  return stopped;
}

Status Supervisor::Stop() {
  coordinator_->RequestStop();
  const Status joined = coordinator_->Join({.stop_grace_period_secs = options().stop_grace_secs});
  EndProgress();
  JoinOrAbandonThreads();
  const Status closed = CloseSummaryWriter();
  return joined.ok() ? closed : joined;
}

void Supervisor::JoinOrAbandonThreads() {
  std::vector<std::unique_ptr<LooperThread>> loopers;
  std::vector<std::unique_ptr<QueueRunnerThreads>> runners;
  {
    std::lock_guard<std::mutex> lock(threads_mu_);
    loopers.swap(loopers_);
    runners.swap(runners_);
    if (steps_ != nullptr) steps_->Cancel(Cancelled("the supervisor has stopped"));
  }
  for (const auto& looper : loopers) looper->JoinOrAbandon();
  for (const auto& threads : runners) threads->JoinOrAbandon();
}

Status Supervisor::CloseSummaryWriter() {
  if (summary_writer() == nullptr || !writer_open_.exchange(false)) return OkStatus();
  tensorflow::SessionLog log;
  log.set_status(tensorflow::SessionLog::STOP);
  const Status noted = summary_writer()->AddSessionLog(std::move(log));
  const Status closed = summary_writer()->Close();
  graph_written_ = false;
  return noted.ok() ? closed : noted;
}

Status Supervisor::SummaryComputed(const SessionPtr& session, tensorflow::Summary summary,
                                   std::optional<int64_t> step) {
  if (summary_writer() == nullptr) return FailedPrecondition("Writing a summary requires a summary writer.");
  if (!step) {
    WEIR_ASSIGN(step, parts_->ReadStep(*session, nullptr));
  }
  return summary_writer()->AddSummary(std::move(summary), step);
}

Status Supervisor::SummaryComputed(const SessionPtr& session, const Tensor& summary, std::optional<int64_t> step) {
  tensorflow::Summary parsed;
  if (summary.dtype() != kString || summary.num_elements() != 1 ||
      !parsed.ParseFromString(*summary.data<std::string>()))
    return InvalidArgument("not a serialized Summary: type {} and shape {}", DTypeName(summary.dtype()),
                           summary.shape().ToString());
  return SummaryComputed(session, std::move(parsed), step);
}

}  // namespace weir

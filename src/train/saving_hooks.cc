#include "train/saving_hooks.h"

#include "graph/graph_def.h"
#include "graph/graph_keys.h"
#include "session/session.h"
#include "train/checkpoint_state.h"
#include "train/file_writer.h"
#include "train/graph_file.h"

namespace weir {
namespace {

// Maximum number of warnings that the step does not advance.
constexpr int kMaxWarnings = 5;

Result<SummaryWriterPtr> MakeWriter(const WriterSource& source, Graph& graph) {
  if (!source) return SummaryWriterPtr();
  return source(graph);
}

Status ParseAndAdd(SummaryWriter& writer, const Tensor& summaries, int64_t step) {
  if (summaries.dtype() != kString)
    return InvalidArgument("a summary op must return a string, not {}", DTypeName(summaries.dtype()));
  for (const std::string& bytes : summaries.flat<std::string>()) {
    tensorflow::Summary summary;
    if (!summary.ParseFromString(bytes))
      return InvalidArgument("a summary op returned a string that is not a serialized Summary");
    WEIR_TRY(writer.AddSummary(std::move(summary), step));
  }
  return OkStatus();
}

}  // namespace

WriterSource FixedWriter(SummaryWriterPtr writer) {
  return [writer = std::move(writer)](Graph&) -> Result<SummaryWriterPtr> { return writer; };
}

WriterSource WriterOfDirectory(FileWriterCache& cache, std::string logdir, CollectionCodec codec) {
  return [&cache, logdir = std::move(logdir), codec = std::move(codec)](Graph& graph) -> Result<SummaryWriterPtr> {
    WEIR_ASSIGN(const FileWriterCache::Found found, cache.Get(logdir));
    if (found.made) WEIR_TRY(AddGraphEvents(*found.writer, graph, codec));
    return found.writer;
  };
}

// --- CheckpointSaverHook ---
Result<std::shared_ptr<CheckpointSaverHook>> CheckpointSaverHook::Make(CheckpointSaverOptions options) {
  WEIR_ASSIGN(TimerPtr timer, MakeTimer(options.interval));
  return std::shared_ptr<CheckpointSaverHook>(new CheckpointSaverHook(std::move(options), std::move(timer)));
}

Status CheckpointSaverHook::Begin(Graph& graph) {
  graph_ = &graph;
  WEIR_ASSIGN(writer_, MakeWriter(options_.writer, graph));
  WEIR_ASSIGN(const GlobalStep step, GlobalStepFor(graph, "CheckpointSaverHook"));
  global_step_ = step.value;
  for (const CheckpointListenerPtr& listener : options_.listeners) WEIR_TRY(listener->Begin());
  return OkStatus();
}

Result<std::shared_ptr<Saver>> CheckpointSaverHook::FindSaver() const {
  if (options_.saver) {
    WEIR_ASSIGN(std::shared_ptr<Saver> saver, options_.saver(*graph_));
    if (saver != nullptr) return saver;
    return SetupError(FailedPrecondition(
        "CheckpointSaverHook: the scaffold has no saver. Give it the scaffold of its session, or a saver."));
  }
  const auto savers = graph_->collections().Of<std::shared_ptr<Saver>>(graph_keys::kSavers);
  if (savers.empty())
    return SetupError(FailedPrecondition(
        "No items in collection {}. Please add a saver to the collection or provide a saver or scaffold.",
        graph_keys::kSavers));
  if (savers.size() > 1)
    return SetupError(FailedPrecondition(
        "More than one item in collection {}. Please indicate which one to use by passing it to the constructor.",
        graph_keys::kSavers));
  return savers[0];
}

Status CheckpointSaverHook::WriteGraph(const std::shared_ptr<Saver>& saver) {
  WEIR_ASSIGN(tensorflow::GraphDef def, ExportGraphDef(*graph_, {.add_shapes = true}));
  WEIR_TRY(WriteGraphFile(*options_.env, options_.checkpoint_dir, def, options_.graph_text));
  if (writer_ == nullptr) return OkStatus();
  WEIR_TRY(writer_->AddGraph(def));
  MetaGraphOptions options;
  options.graph_def = std::move(def);
  options.codec = options_.codec;
  options.saver_def = saver->def();
  WEIR_ASSIGN(const tensorflow::MetaGraphDef meta_graph, ExportMetaGraph(*graph_, options));
  return writer_->AddMetaGraph(meta_graph);
}

Status CheckpointSaverHook::AfterCreateSession(const SessionPtr& session, const std::shared_ptr<Coordinator>&,
                                               CancelToken* cancel) {
  WEIR_ASSIGN(const int64_t step, ReadGlobalStep(*session, global_step_, cancel));
  WEIR_ASSIGN(const std::shared_ptr<Saver> saver, FindSaver());
  WEIR_TRY(WriteGraph(saver));
  WEIR_TRY(Save(session, step, cancel, /*is_first=*/true).status());
  timer_->Note(step);
  return OkStatus();
}

Result<HookRequest> CheckpointSaverHook::BeforeRun(RunContext&) { return HookRequest{.fetches = {global_step_}}; }

Status CheckpointSaverHook::AfterRun(RunContext& context, const RunValues& values) {
  if (!timer_->ShouldTrigger(GlobalStepOf(values.results[0]) + 1)) return OkStatus();
  WEIR_ASSIGN(const int64_t step, ReadGlobalStep(*context.session(), global_step_, context.original().cancel));
  if (!timer_->ShouldTrigger(step)) return OkStatus();
  timer_->Note(step);
  WEIR_ASSIGN(const bool stop, Save(context.session(), step, context.original().cancel));
  if (stop) context.RequestStop();
  return OkStatus();
}

Status CheckpointSaverHook::End(const SessionPtr& session, CancelToken* cancel) {
  WEIR_ASSIGN(const int64_t step, ReadGlobalStep(*session, global_step_, cancel));
  if (timer_->last_step() != step) WEIR_TRY(Save(session, step, cancel).status());
  for (const CheckpointListenerPtr& listener : options_.listeners) WEIR_TRY(listener->End(session, step));
  return OkStatus();
}

Result<bool> CheckpointSaverHook::Save(const SessionPtr& session, int64_t step, CancelToken* cancel, bool is_first) {
  const std::string path = JoinPath(options_.checkpoint_dir, options_.checkpoint_basename);
  options_.log(fmt::format("Saving checkpoints for {} into {}.", step, path));
  for (const CheckpointListenerPtr& listener : options_.listeners) WEIR_TRY(listener->BeforeSave(session, step));
  WEIR_ASSIGN(const std::shared_ptr<Saver> saver, FindSaver());
  SaveOptions save;
  save.global_step = step;
  save.meta_graph.codec = options_.codec;
  // Do not overwrite the checkpoint that a new session has just restored: if killed in the middle, it would be lost.
  const std::vector<std::string> kept = saver->last_checkpoints();
  WEIR_ASSIGN(const std::string name, saver->CheckpointName(path, save));
  const bool is_restored = is_first && std::find(kept.begin(), kept.end(), name) != kept.end();
  if (!is_restored || !CheckpointExists(*options_.env, name)) {
    const RunStep steps = options_.run ? options_.run(session) : RunIn(*session);
    const RunStep run = [&](RunRequest request) {
      request.cancel = cancel;
      return steps(request);
    };
    WEIR_TRY(saver->Save(*graph_, run, path, save).status());
  }
  if (writer_ != nullptr) {
    tensorflow::SessionLog log;
    log.set_status(tensorflow::SessionLog::CHECKPOINT);
    log.set_checkpoint_path(path);
    WEIR_TRY(writer_->AddSessionLog(std::move(log), step));
  }
  bool stop = false;
  for (const CheckpointListenerPtr& listener : options_.listeners) {
    WEIR_ASSIGN(const bool wants_stop, listener->AfterSave(session, step));
    if (wants_stop) options_.log("A CheckpointSaverListener requested that training be stopped.");
    stop |= wants_stop;
  }
  return stop;
}

// --- SummarySaverHook ---
Result<std::shared_ptr<SummarySaverHook>> SummarySaverHook::Make(SummarySaverOptions options) {
  WEIR_ASSIGN(TimerPtr timer, MakeTimer(options.interval));
  return std::shared_ptr<SummarySaverHook>(new SummarySaverHook(std::move(options), std::move(timer)));
}

Status SummarySaverHook::Begin(Graph& graph) {
  WEIR_ASSIGN(writer_, MakeWriter(options_.writer, graph));
  next_step_ = {};
  WEIR_ASSIGN(const GlobalStep step, GlobalStepFor(graph, "SummarySaverHook"));
  global_step_ = step.value;
  return OkStatus();
}

Result<HookRequest> SummarySaverHook::BeforeRun(RunContext&) {
  due_ = !next_step_ || timer_->ShouldTrigger(*next_step_);
  HookRequest request{.fetches = {global_step_}};
  if (due_ && options_.summaries) {
    WEIR_ASSIGN(const std::vector<Output> summaries, options_.summaries());
    request.fetches.insert(request.fetches.end(), summaries.begin(), summaries.end());
  }
  return request;
}

Status SummarySaverHook::AfterRun(RunContext& context, const RunValues& values) {
  if (writer_ == nullptr) return OkStatus();
  int64_t step = GlobalStepOf(values.results[0]) + 1;
  if (due_) {
    WEIR_ASSIGN(step, ReadGlobalStep(*context.session(), global_step_, context.original().cancel));
  }
  if (!next_step_) {
    tensorflow::SessionLog log;
    log.set_status(tensorflow::SessionLog::START);
    WEIR_TRY(writer_->AddSessionLog(std::move(log), step));
  }
  if (due_) {
    timer_->Note(step);
    for (size_t i = 1; i < values.results.size(); ++i) WEIR_TRY(ParseAndAdd(*writer_, values.results[i], step));
  }
  next_step_ = step + 1;
  return OkStatus();
}

Status SummarySaverHook::End(const SessionPtr&, CancelToken*) {
  return writer_ == nullptr ? OkStatus() : writer_->Flush();
}

// --- StepCounterHook ---
Result<std::shared_ptr<StepCounterHook>> StepCounterHook::Make(TimerInterval interval, WriterSource writer, LogSink log,
                                                               LogSink warning, Recorder recorder) {
  if (interval.every_secs.has_value() == interval.every_steps.has_value())
    return InvalidArgument("exactly one of every_n_steps and every_n_secs should be provided.");
  WEIR_ASSIGN(TimerPtr timer, MakeTimer(interval));
  return std::shared_ptr<StepCounterHook>(new StepCounterHook(std::move(timer), std::move(writer), std::move(log),
                                                              std::move(warning), std::move(recorder)));
}

Status StepCounterHook::Begin(Graph& graph) {
  WEIR_ASSIGN(writer_, MakeWriter(source_, graph));
  WEIR_ASSIGN(const GlobalStep step, GlobalStepFor(graph, "StepCounterHook"));
  global_step_ = step.value;
  tag_ = step.name + "/sec";
  return OkStatus();
}

Result<HookRequest> StepCounterHook::BeforeRun(RunContext&) { return HookRequest{.fetches = {global_step_}}; }

Status StepCounterHook::Record(const SecondOrStepTimer::Elapsed& elapsed, int64_t step) {
  if (!(elapsed.secs > 0)) return OkStatus();
  const double rate = static_cast<double>(elapsed.steps) / elapsed.secs;
  if (writer_ != nullptr) {
    tensorflow::Summary summary;
    summary.add_value()->set_tag(tag_);
    summary.mutable_value(0)->set_simple_value(static_cast<float>(rate));
    WEIR_TRY(writer_->AddSummary(std::move(summary), step));
  }
  log_(fmt::format("{}: {:g}", tag_, rate));
  return OkStatus();
}

Status StepCounterHook::AfterRun(RunContext& context, const RunValues& values) {
  const int64_t seen = GlobalStepOf(values.results[0]);
  if (timer_->ShouldTrigger(seen + steps_per_run_)) {
    WEIR_ASSIGN(const int64_t step, ReadGlobalStep(*context.session(), global_step_, context.original().cancel));
    if (timer_->ShouldTrigger(step))
      if (const auto elapsed = timer_->Note(step))
        WEIR_TRY(recorder_ ? recorder_(*elapsed, step) : Record(*elapsed, step));
  }
  if (last_seen_ == seen && unmoved_ < kMaxWarnings) {
    ++unmoved_;
    warning_(
        fmt::format("It seems that global step (tf.train.get_global_step) has not been increased. Current value (could "
                    "be stable): {} vs previous value: {}. You could increase the global step by passing "
                    "tf.train.get_global_step() to Optimizer.apply_gradients or Optimizer.minimize.",
                    seen, *last_seen_));
  }
  last_seen_ = seen;
  return OkStatus();
}

// --- ProfilerHook ---
Result<std::shared_ptr<ProfilerHook>> ProfilerHook::Make(ProfilerOptions options) {
  WEIR_ASSIGN(TimerPtr timer, MakeTimer(options.interval));
  return std::shared_ptr<ProfilerHook>(new ProfilerHook(std::move(options), std::move(timer)));
}

Status ProfilerHook::Begin(Graph& graph) {
  WEIR_ASSIGN(writer_, MakeWriter(options_.writer, graph));
  next_step_ = {};
  WEIR_ASSIGN(const GlobalStep step, GlobalStepFor(graph, "ProfilerHook"));
  global_step_ = step.value;
  return OkStatus();
}

Result<HookRequest> ProfilerHook::BeforeRun(RunContext&) {
  due_ = next_step_ && timer_->ShouldTrigger(*next_step_);
  HookRequest request{.fetches = {global_step_}};
  if (due_) {
    tensorflow::RunOptions options;
    options.set_trace_level(tensorflow::RunOptions::FULL_TRACE);
    request.options = std::move(options);
  }
  return request;
}

Status ProfilerHook::AfterRun(RunContext& context, const RunValues& values) {
  const int64_t seen = GlobalStepOf(values.results[0]);
  if (!next_step_) timer_->Note(seen);
  int64_t step = seen + 1;
  if (due_) {
    WEIR_ASSIGN(step, ReadGlobalStep(*context.session(), global_step_, context.original().cancel));
    timer_->Note(step);
    const std::string path = JoinPath(options_.output_dir, fmt::format("timeline-{}.json", step));
    options_.log(fmt::format("Saving timeline for {} into '{}'.", step, path));
    WEIR_ASSIGN(const std::string text, options_.timeline(values.metadata.step_stats()));
    if (!options_.output_dir.empty()) WEIR_TRY(options_.env->MakeDirectories(options_.output_dir));
    WEIR_TRY(options_.env->WriteFile(path, text));
    if (writer_ != nullptr) WEIR_TRY(writer_->AddRunMetadata(values.metadata, fmt::format("step_{}", step)));
  }
  next_step_ = step + 1;
  return OkStatus();
}

}  // namespace weir

#include "train/hooks.h"

#include <absl/strings/str_join.h>

#include <cmath>
#include <limits>

#include "train/backoff.h"
#include "train/log.h"
#include "train/progress.h"

namespace weir {
namespace {

constexpr char kNanLoss[] = "weir/nan_loss";
constexpr double kLongestWaitSecs = 0.5;
constexpr int64_t kStepsBetweenLines = 1000;

bool HasNan(const Tensor& t) {
  if (t.dtype() == kFloat)
    for (const float x : t.flat<float>())
      if (std::isnan(x)) return true;
  if (t.dtype() == kDouble)
    for (const double x : t.flat<double>())
      if (std::isnan(x)) return true;
  if (t.dtype() == kHalf)
    for (const half x : t.flat<half>())
      if (std::isnan(static_cast<float>(x))) return true;
  if (t.dtype() == kBFloat16)
    for (const bfloat16 x : t.flat<bfloat16>())
      if (std::isnan(static_cast<float>(x))) return true;
  return false;
}

}  // namespace

LogSink InfoLog() {
  return [](const std::string& line) { TrainInfo("{}", line); };
}
LogSink WarningLog() {
  return [](const std::string& line) { TrainWarning("{}", line); };
}
LogSink ErrorLog() {
  return [](const std::string& line) { TrainError("{}", line); };
}

Result<GlobalStep> GlobalStepFor(Graph& graph, const char* hook) {
  Result<GlobalStep> step = FindGlobalStepRead(graph);
  if (!step.ok()) return SetupError(step.status());
  if (!step->value.valid()) return SetupError(FailedPrecondition("Global step should be created to use {}.", hook));
  return step;
}

// --- StopAtStepHook ---
Result<std::shared_ptr<StopAtStepHook>> StopAtStepHook::Make(std::optional<double> num_steps,
                                                             std::optional<double> last_step) {
  if (!num_steps && !last_step) return InvalidArgument("One of num_steps or last_step must be specified.");
  if (num_steps && last_step) return InvalidArgument("Only one of num_steps or last_step can be specified.");
  return std::shared_ptr<StopAtStepHook>(new StopAtStepHook(num_steps, last_step));
}

Status StopAtStepHook::Begin(Graph& graph) {
  WEIR_ASSIGN(const GlobalStep step, GlobalStepFor(graph, "StopAtStepHook"));
  global_step_ = step.value;
  return OkStatus();
}

Status StopAtStepHook::AfterCreateSession(const SessionPtr& session, const std::shared_ptr<Coordinator>&,
                                          CancelToken* cancel) {
  if (last_step_) return OkStatus();
  WEIR_ASSIGN(const int64_t step, ReadGlobalStep(*session, global_step_, cancel));
  last_step_ = static_cast<double>(step) + *num_steps_;
  return OkStatus();
}

Result<HookRequest> StopAtStepHook::BeforeRun(RunContext&) { return HookRequest{.fetches = {global_step_}}; }

Status StopAtStepHook::AfterRun(RunContext& context, const RunValues& values) {
  // The fetched value may be from before this step's update, so read the step again to decide.
  if (static_cast<double>(GlobalStepOf(values.results[0])) + 1 < *last_step_) return OkStatus();
  WEIR_ASSIGN(const int64_t step, ReadGlobalStep(*context.session(), global_step_, context.original().cancel));
  if (static_cast<double>(step) >= *last_step_) context.RequestStop();
  return OkStatus();
}

// --- LoggingTensorHook ---
Result<std::shared_ptr<LoggingTensorHook>> LoggingTensorHook::Make(Tensors tensors, LoggingTensorOptions options) {
  const bool timed = options.interval.every_secs || options.interval.every_steps;
  const bool twice = options.interval.every_secs && options.interval.every_steps;
  if (twice || (!timed && !options.at_end))
    return InvalidArgument("either at_end and/or exactly one of every_n_iter and every_n_secs must be provided.");
  if (options.interval.every_steps && *options.interval.every_steps <= 0)
    return InvalidArgument("invalid every_n_iter={}.", *options.interval.every_steps);
  TimerPtr timer;
  if (timed) {
    WEIR_ASSIGN(timer, MakeTimer(options.interval));
  }
  return std::shared_ptr<LoggingTensorHook>(
      new LoggingTensorHook(std::move(tensors), std::move(options), std::move(timer)));
}

Result<std::shared_ptr<LoggingTensorHook>> LoggingTensorHook::Make(std::vector<LoggedTensor> tensors,
                                                                   LoggingTensorOptions options) {
  return Make([tensors = std::move(tensors)](Graph&) -> Result<std::vector<LoggedTensor>> { return tensors; },
              std::move(options));
}

Status LoggingTensorHook::Begin(Graph& graph) {
  WEIR_ASSIGN(tensors_, find_(graph));
  if (timer_) timer_->Reset();
  count_ = 0;
  return OkStatus();
}

std::vector<Output> LoggingTensorHook::outputs() const {
  std::vector<Output> outputs;
  for (const LoggedTensor& tensor : tensors_) outputs.push_back(tensor.value);
  return outputs;
}

Result<HookRequest> LoggingTensorHook::BeforeRun(RunContext&) {
  due_ = timer_ && timer_->ShouldTrigger(count_);
  return due_ ? HookRequest{.fetches = outputs()} : HookRequest();
}

Status LoggingTensorHook::AfterRun(RunContext& context, const RunValues& values) {
  if (due_ && context.progress != nullptr)
    for (size_t i = 0; i < tensors_.size(); ++i) context.progress->NoteValue(tensors_[i].tag, values.results[i]);
  if (due_) WEIR_TRY(Log(values.results));
  ++count_;
  return OkStatus();
}

Status LoggingTensorHook::End(const SessionPtr& session, CancelToken* cancel) {
  if (!options_.at_end) return OkStatus();
  WEIR_ASSIGN(const std::vector<Tensor> values, session->Run({.fetches = outputs(), .cancel = cancel}));
  return Log(values);
}

Status LoggingTensorHook::Log(const std::vector<Tensor>& values) {
  std::optional<double> elapsed;
  if (timer_)
    if (const auto since = timer_->Note(count_)) elapsed = since->secs;
  if (options_.format) {
    WEIR_ASSIGN(const std::string line, options_.format(values, elapsed));
    if (!line.empty()) options_.log(line);
    return OkStatus();
  }
  std::vector<std::string> parts;
  for (size_t i = 0; i < values.size(); ++i)
    parts.push_back(fmt::format("{} = {}", tensors_[i].tag, values[i].SummarizeValue(10)));
  options_.log(absl::StrJoin(parts, ", ") + (elapsed ? fmt::format(" ({:.3f} sec)", *elapsed) : ""));
  return OkStatus();
}

// --- NanTensorHook ---
Status NanLoss() {
  Status status = InvalidArgument("NaN loss during training.");
  status.SetPayload(kNanLoss, absl::Cord("1"));
  return status;
}

bool IsNanLoss(const Status& status) { return status.GetPayload(kNanLoss).has_value(); }

Status NanTensorHook::Begin(Graph& graph) {
  if (find_ == nullptr) return OkStatus();
  WEIR_ASSIGN(loss_, find_(graph));
  return OkStatus();
}

Status NanTensorHook::AfterRun(RunContext& context, const RunValues& values) {
  if (!HasNan(values.results[0])) return OkStatus();
  constexpr char kLine[] = "Model diverged with loss = NaN.";
  if (fail_on_nan_) {
    error_(kLine);
    return NanLoss();
  }
  warning_(kLine);
  context.RequestStop();
  return OkStatus();
}

// --- GlobalStepWaiterHook ---
Status GlobalStepWaiterHook::Begin(Graph& graph) {
  WEIR_ASSIGN(const GlobalStep step, GlobalStepFor(graph, "GlobalStepWaiterHook"));
  global_step_ = step.value;
  started_ = wait_until_step_ <= 0;
  return OkStatus();
}

Result<HookRequest> GlobalStepWaiterHook::BeforeRun(RunContext& context) {
  if (started_) return HookRequest();
  CancelToken* const cancel = context.original().cancel;
  log_(fmt::format("Waiting for global step {} before starting training.", wait_until_step_));
  Backoff backoff(kLongestWaitSecs, std::numeric_limits<double>::infinity(), cancel);
  int64_t last_line = 0;
  while (true) {
    WEIR_ASSIGN(const int64_t step, ReadGlobalStep(*context.session(), global_step_, cancel));
    if (step >= wait_until_step_) {
      started_ = true;
      log_(fmt::format("Done waiting for global step {}.", wait_until_step_));
      return HookRequest();
    }
    if (step - last_line > kStepsBetweenLines) {
      log_(fmt::format("Waiting for global step {} before starting training. Current step is {}.", wait_until_step_,
                       step));
      last_line = step;
    }
    WEIR_TRY(backoff.Wait());
  }
}

// --- FinalOpsHook ---
Status FinalOpsHook::End(const SessionPtr& session, CancelToken* cancel) {
  RunRequest request;
  request.cancel = cancel;
  request.fetches = final_.fetches;
  request.targets = final_.targets;
  request.feeds = final_.feeds;
  if (request.fetches.empty() && request.targets.empty()) return OkStatus();
  WEIR_ASSIGN(values_, session->Run(request));
  return OkStatus();
}

// --- FeedFnHook ---
Result<HookRequest> FeedFnHook::BeforeRun(RunContext&) {
  HookRequest request;
  WEIR_ASSIGN(request.feeds, feeds_());
  return request;
}

}  // namespace weir

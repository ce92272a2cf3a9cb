#include "train/progress.h"

#include <algorithm>

#include "train/global_step.h"

namespace weir {
namespace {

constexpr int64_t kRateNanos = 5'000'000'000;  // window for measuring rates
constexpr size_t kMostValues = 3;

std::optional<double> NumberIn(const Tensor& value) {
  if (value.num_elements() != 1) return std::nullopt;
  switch (value.dtype()) {
    case kFloat:
      return value.flat<float>()[0];
    case kDouble:
      return value.flat<double>()[0];
    case kHalf:
      return static_cast<float>(value.flat<half>()[0]);
    case kBFloat16:
      return static_cast<float>(value.flat<bfloat16>()[0]);
    case kInt32:
      return value.flat<int32_t>()[0];
    case kInt64:
      return static_cast<double>(value.flat<int64_t>()[0]);
    default:
      return std::nullopt;
  }
}

std::string Rate(double rate) { return rate < 100 ? fmt::format("{:.3g}", rate) : fmt::format("{:.0f}", rate); }

}  // namespace

std::shared_ptr<TrainingProgress> TrainingProgress::Begin(LiveLine& line, Clock& clock) {
  if (!line.Begin()) return nullptr;
  return std::shared_ptr<TrainingProgress>(new TrainingProgress(line, clock));
}

void TrainingProgress::End() {
  std::lock_guard<std::mutex> lock(mu_);
  if (!ended_) line_.End();
  ended_ = true;
}

bool TrainingProgress::due() const {
  std::lock_guard<std::mutex> lock(mu_);
  return !ended_ && clock_.MonotonicNanos() >= due_nanos_;
}

void TrainingProgress::NoteStep(std::optional<int64_t> examples) {
  std::lock_guard<std::mutex> lock(mu_);
  ++own_steps_;
  examples_known_ = examples_known_ && examples.has_value();
  examples_ += examples.value_or(0);
}

void TrainingProgress::NoteGlobalStep(std::optional<int64_t> step) {
  std::lock_guard<std::mutex> lock(mu_);
  if (ended_) return;
  const int64_t now = clock_.MonotonicNanos();
  due_nanos_ = now + kLiveLineNanos;
  is_global_ = step.has_value();
  // The step went back: a checkpoint was restored, so restart the rate measurement.
  if (!samples_.empty() && step && *step < samples_.back().step) samples_.clear();
  samples_.push_back({now, step.value_or(own_steps_), examples_});
  while (samples_.size() > 2 && now - samples_[1].nanos >= kRateNanos) samples_.pop_front();
  line_.Set(Text());
}

void TrainingProgress::NoteValue(const std::string& tag, const Tensor& value) {
  const std::optional<double> number = NumberIn(value);
  if (!number) return;
  std::lock_guard<std::mutex> lock(mu_);
  const auto found = std::find_if(values_.begin(), values_.end(), [&](const auto& v) { return v.first == tag; });
  if (found != values_.end())
    found->second = *number;
  else if (values_.size() < kMostValues)
    values_.emplace_back(tag, *number);
}

std::string TrainingProgress::Text() const {
  const Sample& first = samples_.front();
  const Sample& last = samples_.back();
  std::string text = fmt::format("{} {}", is_global_ ? "global step" : "step", last.step);
  const double secs = static_cast<double>(last.nanos - first.nanos) / 1e9;
  if (secs > 0) text += fmt::format(" | {} steps/s", Rate(static_cast<double>(last.step - first.step) / secs));
  for (const auto& [tag, value] : values_) text += fmt::format(" | {} = {:.4g}", tag, value);
  if (secs > 0 && examples_known_ && last.examples > first.examples)
    text += fmt::format(" | {} examples/s", Rate(static_cast<double>(last.examples - first.examples) / secs));
  return text;
}

std::optional<int64_t> ExamplesIn(const std::vector<Feed>& feeds) {
  std::optional<int64_t> count;
  for (const Feed& feed : feeds) {
    const Shape shape = feed.value.shape();
    if (shape.rank() == 0) continue;
    if (count && *count != shape.dim(0)) return std::nullopt;
    count = shape.dim(0);
  }
  return count;
}

Status ProgressHook::Begin(Graph& graph) {
  const Result<GlobalStep> step = FindGlobalStep(graph);
  if (step.ok() && step->value.valid()) global_step_ = step->value;
  return OkStatus();
}

Result<HookRequest> ProgressHook::BeforeRun(RunContext&) {
  due_ = progress_->due();
  HookRequest request;
  if (due_ && global_step_) request.fetches = {*global_step_};
  return request;
}

Status ProgressHook::AfterRun(RunContext& context, const RunValues& values) {
  progress_->NoteStep(ExamplesIn(context.original().feeds));
  if (!due_) return OkStatus();
  progress_->NoteGlobalStep(global_step_ ? std::optional(GlobalStepOf(values.results[0])) : std::nullopt);
  return OkStatus();
}

}  // namespace weir

// TrainingProgress: the live line of a terminal during training: global step, steps per second, logged values, and
// examples per second if known. Thread-safe.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/live_line.h"
#include "session/session.h"
#include "train/hook.h"

namespace weir {

class TrainingProgress final {
 public:
  // Null if there is no terminal, or if another training of this process is already shown.
  static std::shared_ptr<TrainingProgress> Begin(LiveLine& line = LiveLine::OfProcess(), Clock& clock = RealClock());
  ~TrainingProgress() { End(); }
  TrainingProgress(const TrainingProgress&) = delete;
  void End();

  // Whether the line may be rewritten. Until then the global step is not needed.
  bool due() const;
  // Counts a step of this task, with its number of examples if known.
  void NoteStep(std::optional<int64_t> examples);
  // Sets the global step and writes the line. nullopt: the graph has none, so the task's own steps are shown.
  void NoteGlobalStep(std::optional<int64_t> step);
  // Sets a value that the program logs. Only single numbers are shown.
  void NoteValue(const std::string& tag, const Tensor& value);

 private:
  struct Sample {
    int64_t nanos = 0;
    int64_t step = 0;
    int64_t examples = 0;
  };
  TrainingProgress(LiveLine& line, Clock& clock) : line_(line), clock_(clock) {}
  std::string Text() const;  // REQUIRES: mu_ is held

  LiveLine& line_;
  Clock& clock_;
  mutable std::mutex mu_;
  bool ended_ = false;
  int64_t own_steps_ = 0;
  int64_t examples_ = 0;
  bool examples_known_ = true;
  bool is_global_ = false;
  std::deque<Sample> samples_;  // of the last seconds
  int64_t due_nanos_ = 0;
  std::vector<std::pair<std::string, double>> values_;
};

// The number of examples in the feeds of a step: the first dimension of all feeds that have one. nullopt if they
// differ.
std::optional<int64_t> ExamplesIn(const std::vector<Feed>& feeds);

// Shows the steps of a session with hooks. Fetches the global step only in steps after which the line is written.
class ProgressHook final : public SessionRunHook {
 public:
  explicit ProgressHook(std::shared_ptr<TrainingProgress> progress) : progress_(std::move(progress)) {}
  Status Begin(Graph& graph) override;
  Result<HookRequest> BeforeRun(RunContext& context) override;
  Status AfterRun(RunContext& context, const RunValues& values) override;

 private:
  const std::shared_ptr<TrainingProgress> progress_;
  std::optional<Output> global_step_;
  bool due_ = false;
};

}  // namespace weir

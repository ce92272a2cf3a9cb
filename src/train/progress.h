// TrainingProgress: what a task shows of its training while it runs, in the live line of a terminal: the global step,
// steps per second, what is logged of it, and examples per second where steps say how many they have. Thread-safe.
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
  // Null where nobody would see it, or another training of this process is seen.
  static std::shared_ptr<TrainingProgress> Begin(LiveLine& line = LiveLine::OfProcess(), Clock& clock = RealClock());
  ~TrainingProgress() { End(); }
  TrainingProgress(const TrainingProgress&) = delete;
  void End();

  // Whether the line may be written again: until then nobody need read the global step for it.
  bool due() const;
  // A step of this task, with the number of examples that it was fed, where that is known.
  void NoteStep(std::optional<int64_t> examples);
  // The step of all tasks; none: the graph has no such thing, and the task's own steps are shown. Writes the line.
  void NoteGlobalStep(std::optional<int64_t> step);
  // A number that the program logs; others are not shown.
  void NoteValue(const std::string& tag, const Tensor& value);

 private:
  struct Sample {
    int64_t nanos = 0;
    int64_t step = 0;
    int64_t examples = 0;
  };
  TrainingProgress(LiveLine& line, Clock& clock) : line_(line), clock_(clock) {}
  std::string Text() const;  // with mu_

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

// The number of examples that the feeds of a step are: the first dimension of all that have one. None where they
// differ.
std::optional<int64_t> ExamplesIn(const std::vector<Feed>& feeds);

// Shows the steps of a session that has hooks. It fetches the global step along with those after which the line is
// written.
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

// Common hooks: stop, log, wait, feed and check for NaN. Hooks that write files are in saving_hooks.h.
#pragma once

#include <functional>
#include <string>

#include "weir/train/global_step.h"
#include "weir/train/hook.h"
#include "weir/train/step_timer.h"

namespace weir {

// Receives log lines for the user.
using LogSink = std::function<void(const std::string& line)>;
LogSink InfoLog();
LogSink WarningLog();
LogSink ErrorLog();

// A copy of the global step (FindGlobalStepRead). FailedPrecondition naming the hook if there is none.
Result<GlobalStep> GlobalStepFor(Graph& graph, const char* hook);

// Requests a stop after a number of steps of this session, or at a global step.
class StopAtStepHook final : public SessionRunHook {
 public:
  // InvalidArgument unless exactly one is set.
  static Result<std::shared_ptr<StopAtStepHook>> Make(std::optional<double> num_steps, std::optional<double> last_step);
  // If num_steps is set, known after the first session was created.
  std::optional<double> last_step() const { return last_step_; }
  Status Begin(Graph& graph) override;
  Status AfterCreateSession(const SessionPtr& session, const std::shared_ptr<Coordinator>&,
                            CancelToken* cancel) override;
  Result<HookRequest> BeforeRun(RunContext& context) override;
  Status AfterRun(RunContext& context, const RunValues& values) override;

 private:
  StopAtStepHook(std::optional<double> num_steps, std::optional<double> last_step)
      : num_steps_(num_steps), last_step_(last_step) {}
  const std::optional<double> num_steps_;
  std::optional<double> last_step_;
  Output global_step_;
};

// Logs values every N steps or seconds, and optionally at the end.
struct LoggedTensor {
  std::string tag;
  Output value;
};
struct LoggingTensorOptions {
  TimerInterval interval = {};  // counts steps of this session; not set: only at the end
  bool at_end = false;
  // Formats the values, by default "a = 1, b = 2 (0.500 sec)". An empty line is not logged.
  std::function<Result<std::string>(const std::vector<Tensor>& values, std::optional<double> elapsed_secs)> format = {};
  LogSink log = InfoLog();
};
class LoggingTensorHook final : public SessionRunHook {
 public:
  // Called in Begin, when the graph is complete.
  using Tensors = std::function<Result<std::vector<LoggedTensor>>(Graph& graph)>;
  static Result<std::shared_ptr<LoggingTensorHook>> Make(Tensors tensors, LoggingTensorOptions options);
  static Result<std::shared_ptr<LoggingTensorHook>> Make(std::vector<LoggedTensor> tensors,
                                                         LoggingTensorOptions options);
  Status Begin(Graph& graph) override;
  Result<HookRequest> BeforeRun(RunContext& context) override;
  Status AfterRun(RunContext& context, const RunValues& values) override;
  Status End(const SessionPtr& session, CancelToken* cancel) override;
  const TimerPtr& timer() const { return timer_; }

 private:
  LoggingTensorHook(Tensors tensors, LoggingTensorOptions options, TimerPtr timer)
      : find_(std::move(tensors)), options_(std::move(options)), timer_(std::move(timer)) {}
  std::vector<Output> outputs() const;
  Status Log(const std::vector<Tensor>& values);

  const Tensors find_;
  const LoggingTensorOptions options_;
  const TimerPtr timer_;  // null: only at the end
  std::vector<LoggedTensor> tensors_;
  int64_t count_ = 0;
  bool due_ = false;
};

// Checks a loss after each step. If it is NaN, fails with NanLoss or requests a stop.
Status NanLoss();
bool IsNanLoss(const Status& status);
class NanTensorHook final : public SessionRunHook {
 public:
  // Called in Begin, when the graph is complete.
  using FindLoss = std::function<Result<Output>(Graph& graph)>;
  NanTensorHook(Output loss, bool fail_on_nan, LogSink error = ErrorLog(), LogSink warning = WarningLog())
      : loss_(loss), fail_on_nan_(fail_on_nan), error_(std::move(error)), warning_(std::move(warning)) {}
  NanTensorHook(FindLoss loss, bool fail_on_nan, LogSink error = ErrorLog(), LogSink warning = WarningLog())
      : find_(std::move(loss)), fail_on_nan_(fail_on_nan), error_(std::move(error)), warning_(std::move(warning)) {}
  Status Begin(Graph& graph) override;
  Result<HookRequest> BeforeRun(RunContext&) override { return HookRequest{.fetches = {loss_}}; }
  Status AfterRun(RunContext& context, const RunValues& values) override;

 private:
  const FindLoss find_;  // null: the loss is given
  Output loss_;
  const bool fail_on_nan_;
  const LogSink error_;
  const LogSink warning_;
};

// Delays the first step until the global step has reached a value.
class GlobalStepWaiterHook final : public SessionRunHook {
 public:
  explicit GlobalStepWaiterHook(int64_t wait_until_step, LogSink log = InfoLog())
      : wait_until_step_(wait_until_step), log_(std::move(log)) {}
  Status Begin(Graph& graph) override;
  Result<HookRequest> BeforeRun(RunContext& context) override;

 private:
  const int64_t wait_until_step_;
  const LogSink log_;
  Output global_step_;
  bool started_ = false;
};

// Runs a final step at the end and keeps its values.
class FinalOpsHook final : public SessionRunHook {
 public:
  explicit FinalOpsHook(HookRequest final) : final_(std::move(final)) {}
  Status End(const SessionPtr& session, CancelToken* cancel) override;
  const std::vector<Tensor>& values() const { return values_; }

 private:
  const HookRequest final_;
  std::vector<Tensor> values_;
};

// Feeds the results of a function, called for each step.
class FeedFnHook final : public SessionRunHook {
 public:
  using FeedFn = std::function<Result<std::vector<Feed>>()>;
  explicit FeedFnHook(FeedFn feeds) : feeds_(std::move(feeds)) {}
  Result<HookRequest> BeforeRun(RunContext& context) override;

 private:
  const FeedFn feeds_;
};

}  // namespace weir

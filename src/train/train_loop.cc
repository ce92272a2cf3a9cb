#include "train/train_loop.h"

#include <algorithm>
#include <limits>

#include "base/clock.h"
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/compose/dims.h"
#include "graph/node_builder.h"
#include "train/backoff.h"
#include "train/global_step.h"

namespace weir {
namespace {

constexpr double kLongestStepPauseSecs = 1;

// Whether the condition holds now; false if it is invalid.
Result<bool> Holds(Session& session, Output condition, CancelToken* cancel) {
  if (!condition.valid()) return false;
  RunRequest request;
  request.fetches = {condition};
  request.cancel = cancel;
  WEIR_ASSIGN(const std::vector<Tensor> values, session.Run(request));
  if (values[0].dtype() != kBool || values[0].num_elements() != 1)
    return InvalidArgument("'{}' must be a bool scalar", condition.name());
  return *values[0].data<bool>();
}

Status WaitForGlobalStep(Supervisor& supervisor, Session& session, int64_t step, CancelToken* cancel) {
  if (!supervisor.global_step()) return FailedPrecondition("cannot wait for step {}: there is no global step", step);
  Backoff backoff(kLongestStepPauseSecs, std::numeric_limits<double>::infinity(), cancel, *supervisor.options().clock);
  while (!supervisor.should_stop()) {
    WEIR_ASSIGN(const int64_t now, ReadGlobalStep(session, *supervisor.global_step(), cancel));
    if (now >= step) break;
    WEIR_TRY(backoff.Wait());
  }
  return OkStatus();
}

Status StepUntilStopped(Supervisor& supervisor, const SessionPtr& session, const TrainLoop& loop) {
  while (!supervisor.should_stop()) {
    WEIR_ASSIGN(const bool stop, loop.step(session));
    if (!stop) continue;
    loop.log("Stopping Training.");
    supervisor.RequestStop();
  }
  return OkStatus();
}

Status SaveModel(Supervisor& supervisor, const SessionPtr& session, const TrainLoop& loop, CancelToken* cancel) {
  if (supervisor.saver() == nullptr) return OkStatus();
  loop.log("Finished training! Saving model to disk.");
  SaveOptions save;
  save.meta_graph.codec = supervisor.options().codec;
  if (supervisor.global_step()) {
    WEIR_ASSIGN(save.global_step, ReadGlobalStep(*session, *supervisor.global_step(), cancel));
  }
  const RunStep run = [&](RunRequest request) {
    request.cancel = cancel;
    return session->Run(request);
  };
  return supervisor.saver()->Save(supervisor.graph(), run, supervisor.save_path(), save).status();
}

}  // namespace

Result<TrainStepConditions> MakeTrainStepConditions(Graph& graph, const Input& global_step,
                                                    const TrainStepSettings& settings) {
  NameScope scope(graph, "train_step");
  const Output step = ValueOf(graph, global_step, kInvalidType, "global_step");
  WEIR_TRY(graph.TakeError());
  const auto number = [&](int64_t value) { return ValueOf(graph, value, step.base_dtype()); };
  const auto every = [&](int64_t n) { return Equal(FloorMod(step, number(n)), number(0)); };
  TrainStepConditions made;
  made.should_stop = settings.number_of_steps && *settings.number_of_steps != 0
                         ? GreaterEqual(step, number(*settings.number_of_steps))
                         : Constant(graph, Tensor::Scalar(false));
  if (settings.log_every_n_steps > 0) made.should_log = every(settings.log_every_n_steps);
  if (settings.trace_every_n_steps) made.should_trace = every(*settings.trace_every_n_steps);
  WEIR_TRY(graph.TakeError());
  return made;
}

Result<TrainStepResult> RunTrainStep(Session& session, const TrainStepOps& ops, const LogSink& log,
                                     CancelToken* cancel) {
  const int64_t started = RealClock().MonotonicNanos();
  RunRequest request;
  request.fetches = {ops.train_op, ops.global_step};
  request.cancel = cancel;
  WEIR_ASSIGN(std::vector<Tensor> values, session.Run(request));
  const double seconds = static_cast<double>(RealClock().MonotonicNanos() - started) / 1e9;
  WEIR_ASSIGN(const bool should_log, Holds(session, ops.conditions.should_log, cancel));
  if (should_log && values[0].dtype() == kFloat && values[0].num_elements() == 1)
    log(fmt::format("global step {}: loss = {:.4f} ({:.3f} sec/step)", GlobalStepOf(values[1]),
                    *values[0].data<float>(), seconds));
  WEIR_ASSIGN(const bool should_stop, Holds(session, ops.conditions.should_stop, cancel));
  return TrainStepResult{values[0], should_stop};
}

Status RunTrainLoop(Supervisor& supervisor, const SessionPtr& session, const TrainLoop& loop, CancelToken* cancel) {
  if (!supervisor.is_chief() && loop.start_at_step > 0)
    WEIR_TRY(WaitForGlobalStep(supervisor, *session, loop.start_at_step, cancel));
  if (supervisor.is_chief() && !loop.chief_init.empty()) {
    RunRequest request;
    request.targets = loop.chief_init;
    request.cancel = cancel;
    WEIR_TRY(session->Run(request).status());
  }
  const Status ended = StepUntilStopped(supervisor, session, loop);
  if (ended.code() == StatusCode::kOutOfRange)
    loop.log(fmt::format("Caught OutOfRangeError. Stopping Training. {}", std::string(ended.message())));
  else
    WEIR_TRY(ended);
  if (!supervisor.is_chief() || supervisor.save_path().empty()) return OkStatus();
  return SaveModel(supervisor, session, loop, cancel);
}

Status Train(Supervisor& supervisor, const SessionMaker& make, const TrainLoop& loop, CancelToken* cancel) {
  while (true) {
    Supervisor::SessionOptions options;
    options.cancel = cancel;
    const Status ended = supervisor.RunManaged(
        make, [&](const SessionPtr& session) { return RunTrainLoop(supervisor, session, loop, cancel); }, options);
    if (ended.code() != StatusCode::kAborted) return ended;
    loop.log("Retrying training!");
  }
}

}  // namespace weir

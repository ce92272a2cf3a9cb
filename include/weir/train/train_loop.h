// The training loop of slim.learning: steps in a session of a Supervisor until the global step reaches a limit, the
// input ends or a stop is requested. The chief then saves the model.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "weir/train/hooks.h"
#include "weir/train/supervisor.h"

namespace weir {

// What a training step fetches besides its loss. Outputs that are not needed are invalid.
struct TrainStepSettings {
  std::optional<int64_t> number_of_steps = {};  // the global step at which training ends
  int64_t log_every_n_steps = 1;                // 0: never
  std::optional<int64_t> trace_every_n_steps = {};
};
struct TrainStepConditions {
  Output should_stop;
  Output should_log;
  Output should_trace;
};
// Adds the conditions on the global step, in the name scope "train_step".
Result<TrainStepConditions> MakeTrainStepConditions(Graph& graph, const Input& global_step,
                                                    const TrainStepSettings& settings);

// Runs `train_op`, which returns the loss. True if training has to stop.
struct TrainStepOps {
  Output train_op;
  Output global_step;
  TrainStepConditions conditions;
};
struct TrainStepResult {
  Tensor loss;
  bool should_stop = false;
};
Result<TrainStepResult> RunTrainStep(Session& session, const TrainStepOps& ops, const LogSink& log = InfoLog(),
                                     CancelToken* cancel = nullptr);

struct TrainLoop {
  // One step. True ends the training.
  std::function<Result<bool>(const SessionPtr& session)> step = {};
  int64_t start_at_step = 0;           // tasks other than the chief wait for this global step
  std::vector<Node*> chief_init = {};  // run by the chief before its first step, for example to enqueue tokens
  LogSink log = InfoLog();
};
// The steps in a session that is ready, then the chief's last checkpoint. The end of the input is not an error.
Status RunTrainLoop(Supervisor& supervisor, const SessionPtr& session, const TrainLoop& loop,
                    CancelToken* cancel = nullptr);
// Like RunTrainLoop, in sessions that `make` creates. Continues in a new session after a task was lost.
Status Train(Supervisor& supervisor, const SessionMaker& make, const TrainLoop& loop, CancelToken* cancel = nullptr);

}  // namespace weir

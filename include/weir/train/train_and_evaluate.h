// TrainAndEvaluate: runs the part of one task in the training of an estimator. One process alone trains and
// evaluates its checkpoints in turn. In a cluster the chief and the workers train, parameter servers serve, and an
// evaluator waits for checkpoints. A "master" is a chief that also evaluates.
#pragma once

#include <memory>
#include <string>

#include "weir/train/estimator.h"

namespace weir {

// Callbacks into the program.
class EstimatorProgram {
 public:
  virtual ~EstimatorProgram() = default;
  virtual Status StartServer() = 0;  // the server of this task
  virtual Status JoinServer() = 0;   // blocks until the server stops
  // Trains to the last step. `listener` (may be null) is to be called around each checkpoint.
  virtual Status Train(CheckpointListenerPtr listener) = 0;
  // Returns the global step of the checkpoint.
  virtual Result<int64_t> Evaluate(const std::string& checkpoint) = 0;
  // Exports what was evaluated last. `is_last`: training has ended with this checkpoint.
  virtual Status Export(const std::string& checkpoint, bool is_last) = 0;
};

struct TrainAndEvaluateOptions {
  std::optional<int64_t> max_steps = {};  // the last global step
  double start_delay_secs = 120;          // of the evaluator
  double throttle_secs = 600;             // between the starts of two evaluations
  LogSink log = InfoLog();
  LogSink warning = WarningLog();
  Clock* clock = &RealClock();
  CancelToken* cancel = nullptr;
};
// Blocks until the task has ended.
Status TrainAndEvaluate(const RunConfig& config, EstimatorProgram& program, const TrainAndEvaluateOptions& options);

// Whether the task needs a server: in a cluster of several tasks. FailedPrecondition without an address for one.
Result<bool> NeedsServer(const TaskRole& role);

// --- Exports below "export/NAME" of a model ---
// Deletes the oldest exports: directories that are named by numbers, except the `keep` largest.
Status DeleteOldExports(const std::string& directory, int keep, Env& env = RealEnv());

}  // namespace weir

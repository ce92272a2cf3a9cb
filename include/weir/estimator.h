// Estimator for C++ programs: trains, evaluates, predicts and exports with a model that a function builds.
//
//   auto input = [](Graph& g) -> EstimatorInput { ... };
//   auto model = [](Graph& g, const EstimatorInput& input, EstimatorMode mode) -> EstimatorSpec { ... };
//   Estimator estimator(engine, model, {.model_dir = "model"});
//   estimator.Train(input, {.steps = 1000});
//   estimator.Evaluate(input).metrics.at("loss");
//
// TrainAndEvaluate does what the role of this task is in the cluster that TF_CONFIG describes. Functions throw
// weir::Error.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weir/engine.h"
#include "weir/train/estimator.h"
#include "weir/train/train_and_evaluate.h"

namespace weir {

struct EstimatorInput {
  std::map<std::string, Output> features;
  std::map<std::string, Output> labels = {};
  std::vector<HookPtr> hooks = {};
};
using EstimatorInputFn = std::function<EstimatorInput(Graph& graph)>;
using EstimatorModelFn = std::function<EstimatorSpec(Graph& graph, const EstimatorInput& input, EstimatorMode mode)>;

// Not thread-safe.
class Estimator final {
 public:
  // The engine must outlive it. Without a model_dir, that of TF_CONFIG is used.
  Estimator(const Engine& engine, EstimatorModelFn model_fn, RunConfig config, SessionConfig session_config = {});
  ~Estimator();
  Estimator(const Estimator&) = delete;
  Estimator& operator=(const Estimator&) = delete;

  // Returns the loss of the last step; nullopt if no step ran.
  std::optional<Tensor> Train(const EstimatorInputFn& input, TrainOptions options = {});
  Evaluation Evaluate(const EstimatorInputFn& input, EvaluateOptions options = {});
  std::unique_ptr<Predictions> Predict(const EstimatorInputFn& input, PredictOptions options = {});
  // The model's function must set the signatures of its spec. Returns the new directory below `base`.
  std::string Export(const std::string& base, const EstimatorInputFn& input, ExportModelOptions options = {});

  const RunConfig& config() const { return config_; }
  const Engine& engine() const { return engine_; }
  const SessionConfig& session_config() const { return session_config_; }

 private:
  class Host;
  ModelBuilder Builder(const EstimatorInputFn& input) const;

  const Engine& engine_;
  const EstimatorModelFn model_fn_;
  const RunConfig config_;
  const SessionConfig session_config_;
  const std::unique_ptr<Host> host_;
};

struct TrainSpec {
  EstimatorInputFn input;
  TrainOptions options = {};  // max_steps: the global step at which training ends
};
struct EvaluateSpec {
  EstimatorInputFn input;
  EvaluateOptions options = {};
  double start_delay_secs = 120;
  double throttle_secs = 600;
  // Called after each evaluation, for example to export the model.
  std::function<Status(const Evaluation& evaluation, const std::string& checkpoint, bool is_last)> done = {};
};
// Trains, evaluates or serves, depending on the role of this task. Blocks until the task has ended.
void TrainAndEvaluate(Estimator& estimator, const TrainSpec& train, const EvaluateSpec& evaluate);

}  // namespace weir

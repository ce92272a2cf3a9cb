// Estimators: train, evaluate and predict with a model that a function builds, each time in a new graph. Checkpoints
// and event files are in the directory of the model, so a run continues where the last one ended. The same program runs
// in one process and on a cluster, whose tasks have roles (TaskRole). Not thread-safe.
#pragma once

#include <any>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weir/base/env.h"
#include "weir/session/task_role.h"
#include "weir/train/monitored_session.h"

namespace weir {

struct RunConfig {
  std::string model_dir = "";
  std::optional<int64_t> random_seed = {};
  int64_t save_summary_steps = 100;                      // 0: never
  TimerInterval save_checkpoints = {.every_secs = 600};  // neither is set: never
  int keep_checkpoint_max = 5;                           // 0: all
  double keep_checkpoint_every_n_hours = 10000;
  int64_t log_step_count_steps = 100;  // 0: never
  double session_creation_timeout_secs = 7200;
  double max_worker_delay_secs = 60;  // upper limit of the delay before a worker starts
  TaskRole role = {};
  Env* env = &RealEnv();
};

enum class EstimatorMode { kTrain, kEvaluate, kPredict };

// A metric: `update` adds a batch, `value` returns the result at the end.
struct EstimatorMetric {
  std::string name;
  Output value;
  Node* update = nullptr;
};

// The parts of a model that the mode needs.
struct EstimatorSpec {
  std::vector<std::pair<std::string, Output>> predictions = {};
  Output loss = {};          // a scalar
  Node* train_op = nullptr;  // must increment the global step
  std::vector<EstimatorMetric> metrics = {};
  std::vector<HookPtr> input_hooks = {};  // hooks of the input function, used in every mode
  std::vector<HookPtr> training_hooks = {};
  std::vector<HookPtr> training_chief_hooks = {};
  std::vector<HookPtr> evaluation_hooks = {};
  std::vector<HookPtr> prediction_hooks = {};
  std::shared_ptr<Scaffold> scaffold = nullptr;                                      // default: an empty one
  std::map<std::string, OptionalMessage<tensorflow::SignatureDef>> signatures = {};  // for exports
  // An object that lives as long as the spec.
  std::any owner = {};
};
// Adds the input and the model to a graph.
using ModelBuilder = std::function<Result<EstimatorSpec>(Graph& graph, EstimatorMode mode)>;

// What the language of the program provides: graphs, sessions, threads, files and logs. There is one implementation for
// C++ and one for Python.
class EstimatorHost {
 public:
  virtual ~EstimatorHost() = default;
  virtual Result<std::shared_ptr<Graph>> NewGraph() = 0;
  // Enters the scopes in which a model is built. Destroying the result leaves them.
  virtual Result<std::shared_ptr<void>> EnterScopes(Graph& graph, const RunConfig& config) = 0;
  // Which session to create: that of the chief, with a checkpoint directory or path, or that of another worker.
  struct SessionRequest {
    bool is_chief = true;
    std::string master = "";
    std::string checkpoint_dir = "";
    std::string checkpoint_path = "";
    double max_wait_secs = 7200;
  };
  virtual Result<SessionCreator> Sessions(const std::shared_ptr<Graph>& graph, const EstimatorSpec& spec,
                                          const SessionRequest& request) = 0;
  // A session of a new graph, without initialization.
  virtual Result<SessionPtr> PlainSession(const std::shared_ptr<Graph>& graph) = 0;
  virtual void SetThreads(MonitoredSessionOptions* options) {}
  virtual TrainingHookParts HookParts(const EstimatorSpec& spec) = 0;
};

// Places variables on the parameter servers and other nodes on the task, if there are parameter servers.
Result<std::shared_ptr<void>> EnterReplicaDevice(Graph& graph, const TaskRole& role);

struct TrainOptions {
  std::optional<int64_t> steps = {};      // of this call
  std::optional<int64_t> max_steps = {};  // the last global step. If neither is set: until the input ends
  std::vector<HookPtr> hooks = {};
  std::vector<CheckpointListenerPtr> listeners = {};
  CancelToken* cancel = nullptr;
};
// Trains. Returns the loss of the last step; nullopt if no step ran.
Result<std::optional<Tensor>> TrainModel(EstimatorHost& host, const RunConfig& config, const ModelBuilder& build,
                                         TrainOptions options);

struct EvaluateOptions {
  std::optional<int64_t> steps = {};  // batches; default: until the input ends
  std::vector<HookPtr> hooks = {};
  std::string checkpoint_path = "";  // default: the newest in the model's directory
  std::string name = "";             // summaries go to the directory eval_NAME
  CancelToken* cancel = nullptr;
};
struct Evaluation {
  int64_t global_step = 0;
  std::map<std::string, Tensor> metrics;  // with "loss" and "global_step"
};
// Computes the metrics over all batches and writes them to the directory of the evaluation. Without a checkpoint the
// model is initialized.
Result<Evaluation> EvaluateModel(EstimatorHost& host, const RunConfig& config, const ModelBuilder& build,
                                 EvaluateOptions options);

// Yields the predictions of one run batch by batch. Closing or destroying it ends the run.
class Predictions final {
 public:
  // The values of spec().predictions for the next batch; nullopt at the end.
  Result<std::optional<std::vector<Tensor>>> Next(CancelToken* cancel = nullptr);
  Status Close(bool failed = false, CancelToken* cancel = nullptr);
  const EstimatorSpec& spec() const { return spec_; }
  Graph& graph() const { return *graph_; }

 private:
  friend class PredictionStart;
  std::shared_ptr<Graph> graph_;
  EstimatorSpec spec_;
  std::unique_ptr<MonitoredSession> session_;  // destroyed before the graph and the hooks
};
struct PredictOptions {
  std::vector<HookPtr> hooks = {};
  std::string checkpoint_path = "";  // default: the newest in the model's directory
  CancelToken* cancel = nullptr;
};
Result<std::unique_ptr<Predictions>> PredictWithModel(EstimatorHost& host, const RunConfig& config,
                                                      const ModelBuilder& build, PredictOptions options);

struct ExportModelOptions {
  std::string checkpoint_path = "";                      // default: the newest in the model's directory
  std::map<std::string, std::string> extra_assets = {};  // path below assets.extra -> file
  EstimatorMode mode = EstimatorMode::kPredict;          // of the graph that is saved
  std::vector<std::string> tags = {"serve"};
  bool strip_default_attrs = true;
  // Formats the model for saved_model.pbtxt. Without it, saved_model.pb is written.
  std::function<Result<std::string>(const tensorflow::SavedModel&)> as_text = {};
  CancelToken* cancel = nullptr;
};
// Saves the graph with the signatures of its spec and the checkpoint to a directory below `base`, named after the time
// in seconds. Returns the directory.
Result<std::string> ExportModel(EstimatorHost& host, const RunConfig& config, const ModelBuilder& build,
                                const std::string& base, ExportModelOptions options);

// "eval" or "eval_NAME", below the directory of the model.
std::string EvaluationDirectory(const RunConfig& config, const std::string& name);
// The global step of the latest checkpoint; 0 if there is none.
Result<int64_t> GlobalStepOfLatestCheckpoint(const std::string& model_dir, Env& env = RealEnv());

// Which variables of the next model get values of a checkpoint instead of their initial ones.
struct WarmStart {
  std::string checkpoint;  // or a directory, for its latest one
  bool only_trainable = true;
  std::function<Result<bool>(const std::string& name)> wants = {};  // default: all of them
  // Names in the checkpoint, where they differ from those of the variables.
  std::map<std::string, std::string> saved_names = {};
  Env* env = &RealEnv();
};
Status WarmStartVariables(Graph& graph, const WarmStart& from);

}  // namespace weir

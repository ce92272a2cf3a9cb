// Evaluation and prediction of estimators.
#include <fmt/ranges.h>

#include <algorithm>

#include "graph/compose/metrics.h"
#include "graph/compose/variable.h"
#include "graph/compose/variable_scope.h"
#include "graph/compose/weights.h"
#include "graph/graph_keys.h"
#include "proto/summary.pb.h"
#include "tensor/tensor_proto.h"
#include "train/estimator.h"
#include "train/global_step.h"
#include "train/log.h"

namespace weir {
namespace {

constexpr char kEvalStep[] = "eval_step";
constexpr char kLossMetric[] = "loss";
constexpr char kStepMetric[] = "global_step";

// Requests a stop after a number of batches. Logs about ten times.
class StopAfterEvaluations final : public SessionRunHook {
 public:
  StopAfterEvaluations(Output completed, int64_t wanted, LogSink log)
      : completed_(completed), wanted_(wanted), log_(std::move(log)) {}
  Result<HookRequest> BeforeRun(RunContext&) override { return HookRequest{.fetches = {completed_}}; }
  Status AfterRun(RunContext& context, const RunValues& values) override {
    const int64_t completed = GlobalStepOf(values.results[0]);
    if (completed % std::max<int64_t>(1, wanted_ / 10) == 0 || completed == wanted_)
      log_(fmt::format("Evaluation [{}/{}]", completed, wanted_));
    if (completed >= wanted_) context.RequestStop();
    return OkStatus();
  }

 private:
  const Output completed_;
  const int64_t wanted_;
  const LogSink log_;
};

// Counts the batches of a session. Returns the count after the batch of the run.
Result<Output> CountBatches(Graph& graph) {
  VariableRequest request;
  request.name = kEvalStep;
  request.shape = PartialShape::Scalar();
  request.dtype = kInt64;
  request.initializer = std::make_shared<const ScopedInitializer>(ZerosInitializer());
  request.trainable = false;
  request.collections = {graph_keys::kLocalVariables, kEvalStep};
  WEIR_ASSIGN(const VariablePtr step, VariableScopeStack(graph).Get(std::move(request)));
  const Output completed = step->AssignAdd(Input(Tensor::Scalar<int64_t>(1)));
  WEIR_TRY(graph.TakeError());
  return completed;
}

// The metrics of the model with the mean of the loss and the global step, by name.
Result<std::map<std::string, EstimatorMetric>> AllMetrics(const BuiltModel& model) {
  std::map<std::string, EstimatorMetric> all;
  for (const EstimatorMetric& metric : model.spec.metrics) {
    if (metric.name == kLossMetric || metric.name == kStepMetric)
      return SetupError(
          InvalidArgument("Metric with name \"{}\" is not allowed, because Estimator already defines a default metric "
                          "with the same name.",
                          metric.name));
    all[metric.name] = metric;
  }
  WEIR_ASSIGN(const metrics::Metric loss, metrics::Mean(*model.graph, model.spec.loss));
  WEIR_TRY(model.graph->TakeError());
  all[kLossMetric] = {kLossMetric, loss.value, loss.update.node};
  all[kStepMetric] = {kStepMetric, model.global_step, nullptr};
  return all;
}

// "3", "0.25", or the type and shape of anything that is not a number.
std::string DescribedValue(const Tensor& value) {
  if (value.num_elements() != 1 || value.dtype() == kString)
    return fmt::format("{} {}", DTypeName(value.dtype()), value.shape().ToString());
  switch (value.dtype()) {
    case kFloat:
      return fmt::format("{}", value.data<float>()[0]);
    case kDouble:
      return fmt::format("{}", value.data<double>()[0]);
    case kInt32:
    case kInt64:
      return fmt::format("{}", value.Int(0));
    default:
      return std::string(DTypeName(value.dtype()));
  }
}

// Adds a value to a summary: numbers as such, serialized summaries with their values, other arrays as tensors.
void AddToSummary(const std::string& tag, const Tensor& value, tensorflow::Summary* summary) {
  if (value.dtype() == kString && value.num_elements() == 1) {
    tensorflow::Summary inner;
    if (!inner.ParseFromString(std::string(value.data<std::string>()[0]))) {
      TrainWarning("Skipping summary for {}: its value is neither a number nor a serialized Summary", tag);
      return;
    }
    for (int i = 0; i < inner.value_size(); ++i) {
      inner.mutable_value(i)->set_tag(fmt::format("{}/{}", tag, i));
      *summary->add_value() = inner.value(i);
    }
    return;
  }
  tensorflow::Summary::Value* const added = summary->add_value();
  added->set_tag(tag);
  const bool is_number = value.shape().rank() == 0;
  if (is_number && value.dtype() == kFloat) {
    added->set_simple_value(value.data<float>()[0]);
  } else if (is_number && value.dtype() == kDouble) {
    added->set_simple_value(static_cast<float>(value.data<double>()[0]));
  } else if (is_number && (value.dtype() == kInt32 || value.dtype() == kInt64)) {
    added->set_simple_value(static_cast<float>(value.Int(0)));
  } else {
    ToProto(value, added->mutable_tensor());
  }
}

Status WriteEvaluation(const BuiltModel& model, const TrainingHookParts& parts, const std::string& directory,
                       const std::string& checkpoint, const Evaluation& evaluation) {
  std::vector<std::string> texts;
  tensorflow::Summary summary;
  for (const auto& [name, value] : evaluation.metrics) {
    texts.push_back(fmt::format("{} = {}", name, DescribedValue(value)));
    if (name != kStepMetric) AddToSummary(name, value, &summary);
  }
  parts.log(fmt::format("Saving dict for global step {}: {}", evaluation.global_step, fmt::join(texts, ", ")));
  WEIR_ASSIGN(const SummaryWriterPtr writer, parts.writer(directory)(*model.graph));
  if (writer == nullptr) return OkStatus();
  WEIR_TRY(writer->AddSummary(std::move(summary), evaluation.global_step));
  if (!checkpoint.empty()) {
    parts.log(
        fmt::format("Saving 'checkpoint_path' summary for global step {}: {}", evaluation.global_step, checkpoint));
    tensorflow::Summary path;
    path.add_value()->set_tag("checkpoint_path");
    ToProto(Tensor::Scalar<std::string>(checkpoint), path.mutable_value(0)->mutable_tensor());
    WEIR_TRY(writer->AddSummary(std::move(path), evaluation.global_step));
  }
  return writer->Flush();
}

double SecondsNow() { return static_cast<double>(RealClock().MonotonicNanos()) * 1e-9; }

}  // namespace

std::string EvaluationDirectory(const RunConfig& config, const std::string& name) {
  return JoinPath(config.model_dir, name.empty() ? "eval" : "eval_" + name);
}

Result<Evaluation> EvaluateModel(EstimatorHost& host, const RunConfig& config, const ModelBuilder& build,
                                 EvaluateOptions options) {
  if (options.steps && *options.steps <= 0)
    return SetupError(InvalidArgument("Must specify steps > 0, given: {}", *options.steps));
  WEIR_ASSIGN(const std::string checkpoint, CheckpointOf(config, options.checkpoint_path));
  if (checkpoint.empty())
    TrainInfo("Could not find trained model in model_dir: {}, running initialization to evaluate.", config.model_dir);
  WEIR_ASSIGN(BuiltModel model, BuildModel(host, config, build, EstimatorMode::kEvaluate));
  const TrainingHookParts parts = host.HookParts(model.spec);
  WEIR_ASSIGN(const auto metrics, AllMetrics(model));
  WEIR_ASSIGN(const Output completed, CountBatches(*model.graph));
  RunRequest step{.fetches = {}, .targets = {completed.node}, .cancel = options.cancel};
  HookRequest last;
  for (const auto& [name, metric] : metrics) {
    if (metric.update != nullptr) step.targets.push_back(metric.update);
    last.fetches.push_back(metric.value);
  }
  const auto values = std::make_shared<FinalOpsHook>(std::move(last));
  std::vector<HookPtr> hooks = model.spec.input_hooks;
  hooks.insert(hooks.end(), options.hooks.begin(), options.hooks.end());
  hooks.insert(hooks.end(), model.spec.evaluation_hooks.begin(), model.spec.evaluation_hooks.end());
  if (options.steps) hooks.push_back(std::make_shared<StopAfterEvaluations>(completed, *options.steps, parts.log));
  hooks.push_back(values);
  EstimatorHost::SessionRequest request;
  request.master = config.role.evaluation_master;
  request.checkpoint_path = checkpoint;
  const double start = SecondsNow();
  WEIR_ASSIGN(const std::unique_ptr<MonitoredSession> session,
              StartSession(host, model, std::move(hooks), request, options.cancel));
  WEIR_TRY(RunUntilStop(*session, options.cancel, [&] { return session->Run(step).status(); }));
  parts.log(fmt::format("Finished the evaluation in {:.3f} s", SecondsNow() - start));

  if (values->values().size() != metrics.size())
    return Aborted("the session of the evaluation was lost before the metrics were read");
  Evaluation evaluation;
  size_t next = 0;
  for (const auto& [name, metric] : metrics) evaluation.metrics[name] = values->values()[next++];
  evaluation.global_step = GlobalStepOf(evaluation.metrics[kStepMetric]);
  WEIR_TRY(WriteEvaluation(model, parts, EvaluationDirectory(config, options.name), checkpoint, evaluation));
  return evaluation;
}

// Creates Predictions.
class PredictionStart final {
 public:
  static std::unique_ptr<Predictions> Make(BuiltModel model, std::unique_ptr<MonitoredSession> session) {
    auto made = std::make_unique<Predictions>();
    made->graph_ = std::move(model.graph);
    made->spec_ = std::move(model.spec);
    made->session_ = std::move(session);
    return made;
  }
};

Result<std::unique_ptr<Predictions>> PredictWithModel(EstimatorHost& host, const RunConfig& config,
                                                      const ModelBuilder& build, PredictOptions options) {
  WEIR_ASSIGN(const std::string checkpoint, CheckpointOf(config, options.checkpoint_path));
  if (checkpoint.empty())
    TrainInfo("Could not find trained model in model_dir: {}, running initialization to predict.", config.model_dir);
  WEIR_ASSIGN(BuiltModel model, BuildModel(host, config, build, EstimatorMode::kPredict));
  std::vector<HookPtr> hooks = model.spec.input_hooks;
  hooks.insert(hooks.end(), options.hooks.begin(), options.hooks.end());
  hooks.insert(hooks.end(), model.spec.prediction_hooks.begin(), model.spec.prediction_hooks.end());
  EstimatorHost::SessionRequest request;
  request.master = config.role.master;
  request.checkpoint_path = checkpoint;
  WEIR_ASSIGN(std::unique_ptr<MonitoredSession> session,
              StartSession(host, model, std::move(hooks), request, options.cancel));
  model.scopes = nullptr;  // leaves the scopes on the thread that entered them
  return PredictionStart::Make(std::move(model), std::move(session));
}

Result<std::optional<std::vector<Tensor>>> Predictions::Next(CancelToken* cancel) {
  if (session_->closed()) return std::optional<std::vector<Tensor>>();
  RunRequest step{.cancel = cancel};
  for (const auto& [name, output] : spec_.predictions) step.fetches.push_back(output);
  Result<bool> stop = session_->ShouldStop(cancel);
  Status status = stop.status();
  if (status.ok() && !*stop) {
    Result<std::vector<Tensor>> values = session_->Run(step);
    if (values.ok()) return std::optional<std::vector<Tensor>>(*std::move(values));
    status = values.status();
  }
  if (status.code() == StatusCode::kOutOfRange) status = OkStatus();  // the end of the input
  const Status closed = Close(/*failed=*/!status.ok(), cancel);
  WEIR_TRY(status);
  WEIR_TRY(closed);
  return std::optional<std::vector<Tensor>>();
}

Status Predictions::Close(bool failed, CancelToken* cancel) {
  return session_->closed() ? OkStatus() : session_->Close(failed, cancel);
}

}  // namespace weir

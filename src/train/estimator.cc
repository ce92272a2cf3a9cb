#include "train/estimator.h"

#include "graph/compose/summary.h"
#include "graph/compose/variable.h"
#include "graph/graph_keys.h"
#include "io/checkpoint_reader.h"
#include "train/checkpoint_state.h"
#include "train/device_setter.h"
#include "train/global_step.h"
#include "train/global_step_variable.h"
#include "train/log.h"

namespace weir {
namespace {

Status CheckSteps(const char* what, const std::optional<int64_t>& steps) {
  if (steps && *steps <= 0) return SetupError(InvalidArgument("Must specify {} > 0, given: {}", what, *steps));
  return OkStatus();
}

// A summary of the loss, unless the model has one of that name.
Status SummarizeLoss(Graph& graph, Output loss) {
  for (const Output& summary : graph.collections().Of<Output>(graph_keys::kSummaries))
    if (summary.node->name() == "loss") return OkStatus();
  SummarizeScalar(graph, "loss", loss);
  return graph.TakeError();
}

// A saver with the settings of the configuration, unless the model has one. Its nodes are built with the session.
Status AddSaver(const BuiltModel& model, const RunConfig& config) {
  Graph& graph = *model.graph;
  if (model.spec.scaffold->saver != nullptr || !graph.collections().Items(graph_keys::kSavers).empty())
    return OkStatus();
  SaverOptions options;
  options.env = config.env;
  options.graph.sharded = true;
  options.max_to_keep = config.keep_checkpoint_max;
  options.keep_checkpoint_every_n_hours = config.keep_checkpoint_every_n_hours;
  options.defer_build = true;
  options.save_relative_paths = true;
  WEIR_ASSIGN(std::shared_ptr<Saver> saver, Saver::Make(graph, std::move(options)));
  graph.collections().Add(graph_keys::kSavers, std::move(saver));
  return OkStatus();
}

CheckpointSaverHook* FindCheckpointSaver(const std::vector<HookPtr>& hooks) {
  for (const HookPtr& hook : hooks)
    if (CheckpointSaverHook* const saver = hook->checkpoint_saver()) return saver;
  return nullptr;
}

// The hooks of all tasks: the program's, a check of the loss and log lines.
Result<std::vector<HookPtr>> WorkerHooks(const BuiltModel& model, const RunConfig& config, const TrainOptions& options,
                                         const TrainingHookParts& parts) {
  std::vector<HookPtr> hooks = model.spec.input_hooks;
  hooks.insert(hooks.end(), options.hooks.begin(), options.hooks.end());
  if (options.steps || options.max_steps) {
    const auto number = [](const std::optional<int64_t>& steps) {
      return steps ? std::optional<double>(static_cast<double>(*steps)) : std::nullopt;
    };
    WEIR_ASSIGN(HookPtr stop, StopAtStepHook::Make(number(options.steps), number(options.max_steps)));
    hooks.push_back(std::move(stop));
  }
  hooks.push_back(std::make_shared<NanTensorHook>(model.spec.loss, /*fail_on_nan=*/true, ErrorLog(), parts.warning));
  if (config.log_step_count_steps > 0) {
    LoggingTensorOptions logging;
    logging.interval.every_steps = static_cast<double>(config.log_step_count_steps);
    logging.log = parts.log;
    WEIR_ASSIGN(HookPtr hook,
                LoggingTensorHook::Make(
                    std::vector<LoggedTensor>{{"loss", model.spec.loss}, {"step", model.global_step}}, logging));
    hooks.push_back(std::move(hook));
  }
  hooks.insert(hooks.end(), model.spec.training_hooks.begin(), model.spec.training_hooks.end());
  return hooks;
}

// The hook that saves checkpoints, unless the program has one or saves none; with the listeners.
Result<HookPtr> CheckpointHook(const BuiltModel& model, const RunConfig& config, const TrainOptions& options,
                               const TrainingHookParts& parts, const std::vector<HookPtr>& worker_hooks) {
  CheckpointSaverHook* existing = FindCheckpointSaver(worker_hooks);
  if (existing == nullptr) existing = FindCheckpointSaver(model.spec.training_chief_hooks);
  const TimerInterval& interval = config.save_checkpoints;
  if (existing == nullptr && (interval.every_secs.value_or(0) > 0 || interval.every_steps.value_or(0) > 0)) {
    CheckpointSaverOptions checkpoints;
    checkpoints.checkpoint_dir = config.model_dir;
    checkpoints.interval = interval;
    checkpoints.listeners = options.listeners;
    checkpoints.writer = parts.writer(config.model_dir);
    checkpoints.saver = parts.saver;
    checkpoints.graph_text = parts.graph_text;
    checkpoints.log = parts.log;
    checkpoints.env = config.env;
    if (parts.codec.to_item) checkpoints.codec = parts.codec;
    WEIR_ASSIGN(HookPtr made, CheckpointSaverHook::Make(std::move(checkpoints)));
    return made;
  }
  if (existing != nullptr) {
    for (const CheckpointListenerPtr& listener : options.listeners) existing->AddListener(listener);
  } else if (!options.listeners.empty()) {
    return SetupError(
        InvalidArgument("There should be a CheckpointSaverHook to use saving_listeners. Please set one of the "
                        "RunConfig.save_checkpoints_steps or RunConfig.save_checkpoints_secs."));
  }
  return HookPtr();
}

Result<std::vector<HookPtr>> AllTrainingHooks(const BuiltModel& model, const RunConfig& config,
                                              const TrainOptions& options, const TrainingHookParts& parts) {
  TrainingSessionOptions session;
  WEIR_ASSIGN(session.hooks, WorkerHooks(model, config, options, parts));
  WEIR_ASSIGN(HookPtr saver, CheckpointHook(model, config, options, parts, session.hooks));
  if (saver != nullptr) session.chief_only_hooks.push_back(std::move(saver));
  const std::vector<HookPtr>& chief = model.spec.training_chief_hooks;
  session.chief_only_hooks.insert(session.chief_only_hooks.end(), chief.begin(), chief.end());
  session.is_chief = config.role.is_chief;
  session.checkpoint_dir = config.model_dir;
  session.save_checkpoint = {};
  session.save_summaries = {};
  session.env = config.env;
  if (config.save_summary_steps > 0)
    session.save_summaries.every_steps = static_cast<double>(config.save_summary_steps);
  session.log_step_count_steps = config.log_step_count_steps;
  return TrainingHooks(session, parts);
}

}  // namespace

Result<std::shared_ptr<void>> EnterReplicaDevice(Graph& graph, const TaskRole& role) {
  if (role.num_ps_replicas == 0) return std::shared_ptr<void>();
  ReplicaDeviceOptions options;
  options.cluster = role.cluster;
  options.worker_device = fmt::format("/job:{}/task:{}", role.task_type, role.task_id);
  WEIR_ASSIGN(DeviceRequest request, ReplicaDeviceSetter(std::move(options)));
  return std::make_shared<DeviceScope>(graph, std::move(request));
}

Result<int64_t> GlobalStepOfLatestCheckpoint(const std::string& model_dir, Env& env) {
  WEIR_ASSIGN(const std::optional<std::string> latest, LatestCheckpoint(env, model_dir));
  if (!latest) return 0;
  WEIR_ASSIGN(const std::unique_ptr<io::CheckpointReader> reader, io::OpenCheckpoint(env, *latest));
  if (!reader->Find("global_step").ok()) return 0;
  WEIR_ASSIGN(const Tensor step, reader->Read("global_step"));
  return GlobalStepOf(step);
}

Result<std::string> CheckpointOf(const RunConfig& config, const std::string& given) {
  if (!given.empty()) return given;
  WEIR_ASSIGN(const std::optional<std::string> latest, LatestCheckpoint(*config.env, config.model_dir));
  return latest.value_or("");
}

Result<BuiltModel> BuildModel(EstimatorHost& host, const RunConfig& config, const ModelBuilder& build,
                              EstimatorMode mode) {
  BuiltModel model;
  WEIR_ASSIGN(model.graph, host.NewGraph());
  Graph& graph = *model.graph;
  WEIR_ASSIGN(model.scopes, host.EnterScopes(graph, config));
  graph.seed = config.random_seed;
  WEIR_ASSIGN(const VariablePtr step, GetOrCreateGlobalStep(graph));
  WEIR_TRY(graph.TakeError());
  model.global_step = step->value();
  // Before the optimizer adds its updates, so that hooks see the step from before the updates of a run.
  if (mode == EstimatorMode::kTrain) {
    WEIR_ASSIGN(const GlobalStep read, FindGlobalStepRead(graph));
    model.global_step = read.value;
  }
  WEIR_ASSIGN(model.spec, build(graph, mode));
  WEIR_TRY(graph.TakeError());
  if (model.spec.scaffold == nullptr) {
    model.spec.scaffold = std::make_shared<Scaffold>();
    model.spec.scaffold->env = config.env;
  }
  return model;
}

Result<std::unique_ptr<MonitoredSession>> StartSession(EstimatorHost& host, const BuiltModel& model,
                                                       std::vector<HookPtr> hooks,
                                                       const EstimatorHost::SessionRequest& request,
                                                       CancelToken* cancel) {
  MonitoredSessionOptions options;
  options.hooks = std::move(hooks);
  host.SetThreads(&options);
  WEIR_ASSIGN(SessionCreator creator, host.Sessions(model.graph, model.spec, request));
  return MonitoredSession::Make(*model.graph, std::move(creator), std::move(options), cancel);
}

Status RunUntilStop(MonitoredSession& session, CancelToken* cancel, const std::function<Status()>& step) {
  Status status;
  while (status.ok()) {
    const Result<bool> stop = session.ShouldStop(cancel);
    status = stop.status();
    if (!status.ok() || *stop) break;
    status = step();
  }
  if (status.code() == StatusCode::kOutOfRange) status = OkStatus();  // the end of the input
  const Status closed = session.Close(/*failed=*/!status.ok(), cancel);
  return status.ok() ? closed : status;
}

Result<std::optional<Tensor>> TrainModel(EstimatorHost& host, const RunConfig& config, const ModelBuilder& build,
                                         TrainOptions options) {
  if (options.steps && options.max_steps)
    return SetupError(InvalidArgument("Can not provide both steps and max_steps."));
  WEIR_TRY(CheckSteps("steps", options.steps));
  WEIR_TRY(CheckSteps("max_steps", options.max_steps));
  if (options.max_steps) {
    WEIR_ASSIGN(const int64_t start, GlobalStepOfLatestCheckpoint(config.model_dir, *config.env));
    if (*options.max_steps <= start) {
      TrainInfo("Skipping training since max_steps has already saved.");
      return std::optional<Tensor>();
    }
  }
  WEIR_ASSIGN(const BuiltModel model, BuildModel(host, config, build, EstimatorMode::kTrain));
  Graph& graph = *model.graph;
  WEIR_TRY(SummarizeLoss(graph, model.spec.loss));
  graph.collections().Add(graph_keys::kLosses, model.spec.loss);
  WEIR_TRY(AddSaver(model, config));
  const TrainingHookParts parts = host.HookParts(model.spec);
  WEIR_ASSIGN(std::vector<HookPtr> hooks, AllTrainingHooks(model, config, options, parts));
  EstimatorHost::SessionRequest request;
  request.is_chief = config.role.is_chief;
  request.master = config.role.master;
  request.checkpoint_dir = config.model_dir;
  request.max_wait_secs = config.session_creation_timeout_secs;
  WEIR_ASSIGN(const std::unique_ptr<MonitoredSession> session,
              StartSession(host, model, std::move(hooks), request, options.cancel));
  std::optional<Tensor> loss;
  const RunRequest step{.fetches = {model.spec.loss}, .targets = {model.spec.train_op}, .cancel = options.cancel};
  WEIR_TRY(RunUntilStop(*session, options.cancel, [&]() -> Status {
    WEIR_ASSIGN(const std::vector<Tensor> values, session->Run(step));
    loss = values[0];
    return OkStatus();
  }));
  if (!loss) parts.warning("Training with estimator made no steps. Perhaps input is empty or misspecified.");
  return loss;
}

}  // namespace weir

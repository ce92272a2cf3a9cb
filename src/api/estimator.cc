#include "weir/estimator.h"

#include "base/out_of_memory.h"
#include "base/status.h"
#include "graph/graph.h"
#include "train/saver.h"
#include "train/session_manager.h"

namespace weir {

namespace {

RunConfig WithRole(RunConfig config) {
  if (config.role == TaskRole()) config.role = ValueOrThrow(TaskRole::FromEnvironment());
  if (config.model_dir.empty()) config.model_dir = config.role.model_dir;
  if (config.model_dir.empty()) throw Error(InvalidArgument("an Estimator needs a model_dir"));
  return config;
}

// Calls a function of the program, which may throw.
template <class F>
auto Calling(const char* what, F&& body) -> Result<decltype(body())> {
  try {
    return body();
  } catch (const Error& error) {
    return error.status();
  } catch (const std::exception&) {
    return StatusFromCurrentException(what);
  }
}

}  // namespace

class Estimator::Host final : public EstimatorHost {
 public:
  Host(const Engine& engine, SessionConfig session_config, Env& env)
      : engine_(engine), session_config_(std::move(session_config)), writers_(env) {}

  Result<std::shared_ptr<Graph>> NewGraph() override { return engine_.NewGraph(); }
  Result<std::shared_ptr<void>> EnterScopes(Graph& graph, const RunConfig& config) override {
    return EnterReplicaDevice(graph, config.role);
  }
  Result<SessionCreator> Sessions(const std::shared_ptr<Graph>& graph, const EstimatorSpec& spec,
                                  const SessionRequest& request) override {
    SessionMaker make = engine_.Sessions(graph, request.master, session_config_);
    if (!request.is_chief)
      return WorkerSessionCreator(*graph, spec.scaffold, std::move(make), {.max_wait_secs = request.max_wait_secs});
    return ChiefSessionCreator(*graph, spec.scaffold, std::move(make),
                               {.checkpoint_dir = request.checkpoint_dir, .checkpoint_path = request.checkpoint_path});
  }
  Result<SessionPtr> PlainSession(const std::shared_ptr<Graph>& graph) override {
    return engine_.Sessions(graph, "", session_config_)();
  }
  TrainingHookParts HookParts(const EstimatorSpec& spec) override {
    TrainingHookParts parts;
    parts.writer = [this](const std::string& directory) { return WriterOfDirectory(writers_, directory); };
    parts.saver = [scaffold = spec.scaffold](Graph&) -> Result<std::shared_ptr<Saver>> { return scaffold->saver; };
    parts.summaries = [scaffold = spec.scaffold]() -> Result<std::vector<Output>> {
      return scaffold->summary ? std::vector<Output>{*scaffold->summary} : std::vector<Output>();
    };
    parts.codec = SaverCodec(writers_.env());
    return parts;
  }

 private:
  const Engine& engine_;
  const SessionConfig session_config_;
  FileWriterCache writers_;
};

Estimator::Estimator(const Engine& engine, EstimatorModelFn model_fn, RunConfig config, SessionConfig session_config)
    : engine_(engine),
      model_fn_(std::move(model_fn)),
      config_(WithRole(std::move(config))),
      session_config_(std::move(session_config)),
      host_(std::make_unique<Host>(engine, session_config_, *config_.env)) {}
Estimator::~Estimator() = default;

ModelBuilder Estimator::Builder(const EstimatorInputFn& input) const {
  return [this, input](Graph& graph, EstimatorMode mode) -> Result<EstimatorSpec> {
    EstimatorInput batch;
    {
      const DeviceScope on_cpu(graph, "/cpu:0");
      WEIR_ASSIGN(batch, Calling("the input function of an estimator", [&] { return input(graph); }));
    }
    WEIR_ASSIGN(EstimatorSpec spec,
                Calling("the model function of an estimator", [&] { return model_fn_(graph, batch, mode); }));
    spec.input_hooks.insert(spec.input_hooks.end(), batch.hooks.begin(), batch.hooks.end());
    return spec;
  };
}

std::optional<Tensor> Estimator::Train(const EstimatorInputFn& input, TrainOptions options) {
  return ValueOrThrow(TrainModel(*host_, config_, Builder(input), std::move(options)));
}

Evaluation Estimator::Evaluate(const EstimatorInputFn& input, EvaluateOptions options) {
  return ValueOrThrow(EvaluateModel(*host_, config_, Builder(input), std::move(options)));
}

std::unique_ptr<Predictions> Estimator::Predict(const EstimatorInputFn& input, PredictOptions options) {
  return ValueOrThrow(PredictWithModel(*host_, config_, Builder(input), std::move(options)));
}

std::string Estimator::Export(const std::string& base, const EstimatorInputFn& input, ExportModelOptions options) {
  return ValueOrThrow(ExportModel(*host_, config_, Builder(input), base, std::move(options)));
}

namespace {

class EngineProgram final : public EstimatorProgram {
 public:
  EngineProgram(Estimator& estimator, const TrainSpec& train, const EvaluateSpec& evaluate)
      : estimator_(estimator), train_(train), evaluate_(evaluate) {}

  Status StartServer() override {
    const TaskRole& role = estimator_.config().role;
    WEIR_ASSIGN(server_, Calling("starting a server", [&] {
                  return estimator_.engine().StartServer(role.cluster, role.task_type, role.task_id,
                                                         estimator_.session_config());
                }));
    return OkStatus();
  }
  Status JoinServer() override {
    JoinUntilSignal(*server_);
    return OkStatus();
  }
  Status Train(CheckpointListenerPtr listener) override {
    TrainOptions options = train_.options;
    if (listener != nullptr) options.listeners.push_back(std::move(listener));
    return Calling("training", [&] { return estimator_.Train(train_.input, std::move(options)); }).status();
  }
  Result<int64_t> Evaluate(const std::string& checkpoint) override {
    EvaluateOptions options = evaluate_.options;
    options.checkpoint_path = checkpoint;
    WEIR_ASSIGN(evaluation_, Calling("evaluation", [&] { return estimator_.Evaluate(evaluate_.input, options); }));
    return evaluation_.global_step;
  }
  Status Export(const std::string& checkpoint, bool is_last) override {
    return evaluate_.done ? evaluate_.done(evaluation_, checkpoint, is_last) : OkStatus();
  }

 private:
  Estimator& estimator_;
  const TrainSpec& train_;
  const EvaluateSpec& evaluate_;
  Evaluation evaluation_;
  std::unique_ptr<Server> server_;
};

}  // namespace

void TrainAndEvaluate(Estimator& estimator, const TrainSpec& train, const EvaluateSpec& evaluate) {
  EngineProgram program(estimator, train, evaluate);
  TrainAndEvaluateOptions options;
  options.max_steps = train.options.max_steps;
  options.start_delay_secs = evaluate.start_delay_secs;
  options.throttle_secs = evaluate.throttle_secs;
  options.cancel = train.options.cancel;
  ThrowIfError(TrainAndEvaluate(estimator.config(), program, options));
}

}  // namespace weir

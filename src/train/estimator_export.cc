// Exports of estimators, and warm starts.
#include <algorithm>

#include "absl/strings/numbers.h"
#include "graph/compose/variable.h"
#include "graph/graph_keys.h"
#include "train/estimator.h"
#include "train/init_from_checkpoint.h"
#include "train/log.h"

namespace weir {
namespace {

// A directory of `base` named after the time in seconds. Later than those that exist, because readers and exporters
// take the largest name for the newest.
std::string TimestampedDirectory(Env& env, const std::string& base) {
  int64_t seconds = RealClock().NowMicros() / 1'000'000;
  if (const Result<std::vector<std::string>> names = env.List(base); names.ok()) {
    for (const std::string& name : *names) {
      int64_t existing = 0;
      if (absl::SimpleAtoi(name, &existing) && existing < seconds + 1'000'000)
        seconds = std::max(seconds, existing + 1);
    }
  }
  return JoinPath(base, std::to_string(seconds));
}

Status CopyAssets(Env& env, const std::map<std::string, std::string>& assets, const std::string& directory) {
  for (const auto& [name, source] : assets) {
    const std::string target = JoinPath(JoinPath(directory, "assets.extra"), name);
    WEIR_TRY(env.MakeDirectories(std::string(DirectoryOf(target))));
    WEIR_ASSIGN(const std::string bytes, env.ReadFile(source));
    WEIR_TRY(env.WriteFileAtomically(target, bytes));
  }
  return OkStatus();
}

Result<SavedMetaGraphOptions> MetaGraphOf(const BuiltModel& model, const RunConfig& config,
                                          const ExportModelOptions& options, const TrainingHookParts& parts) {
  SavedMetaGraphOptions made;
  made.signatures = model.spec.signatures;
  made.assets = model.graph->collections().Of<Output>(graph_keys::kAssetFilepaths);
  if (!model.spec.scaffold->local_init.empty()) {
    made.main_op = model.spec.scaffold->local_init[0];
  } else {
    WEIR_ASSIGN(made.main_op, DefaultLocalInit(*model.graph));
  }
  if (options.mode == EstimatorMode::kTrain) made.train_op = model.spec.train_op;
  made.saver = model.spec.scaffold->saver;
  if (made.saver == nullptr) {
    SaverOptions saver;
    saver.graph.sharded = true;
    saver.allow_empty = true;
    saver.env = config.env;
    WEIR_ASSIGN(made.saver, Saver::Make(*model.graph, std::move(saver)));
  }
  WEIR_TRY(made.saver->Build(*model.graph));
  made.meta_graph.strip_default_attrs = options.strip_default_attrs;
  if (parts.codec.to_item) made.meta_graph.codec = parts.codec;
  return made;
}

}  // namespace

Result<std::string> ExportModel(EstimatorHost& host, const RunConfig& config, const ModelBuilder& build,
                                const std::string& base, ExportModelOptions options) {
  Env& env = *config.env;
  WEIR_ASSIGN(const std::string checkpoint, CheckpointOf(config, options.checkpoint_path));
  if (checkpoint.empty()) return SetupError(InvalidArgument("Couldn't find trained model at {}.", config.model_dir));
  WEIR_ASSIGN(BuiltModel model, BuildModel(host, config, build, options.mode));
  const TrainingHookParts parts = host.HookParts(model.spec);
  WEIR_ASSIGN(const SavedMetaGraphOptions meta, MetaGraphOf(model, config, options, parts));
  WEIR_ASSIGN(const SessionPtr session, host.PlainSession(model.graph));
  const RunStep run = [&](const RunRequest& request) {
    RunRequest cancellable = request;
    cancellable.cancel = options.cancel;
    return session->Run(cancellable);
  };
  if (!meta.saver->is_empty()) WEIR_TRY(meta.saver->Restore(*model.graph, run, checkpoint));
  RunRequest init{.targets = {const_cast<Node*>(meta.main_op)}};
  WEIR_TRY(run(init).status());

  const std::string directory = TimestampedDirectory(env, base);
  const std::string temporary = JoinPath(base, "temp-" + std::string(FileNameOf(directory)));
  WEIR_ASSIGN(const std::unique_ptr<SavedModelBuilder> builder, SavedModelBuilder::Make(temporary, env));
  WEIR_TRY(builder->AddMetaGraphAndVariables(*model.graph, run, options.tags, meta));
  WEIR_TRY(session->Close());
  if (options.as_text) {
    WEIR_ASSIGN(const std::string text, options.as_text(builder->model()));
    WEIR_TRY(env.WriteFileAtomically(JoinPath(temporary, saved_model::kTextFile), text));
  } else {
    WEIR_TRY(builder->Save().status());
  }
  WEIR_TRY(CopyAssets(env, options.extra_assets, temporary));
  WEIR_TRY(env.Rename(temporary, directory));
  WEIR_TRY(env.SyncDirectory(base));
  return directory;
}

Status WarmStartVariables(Graph& graph, const WarmStart& from) {
  std::map<std::string, CheckpointAssignment> assignments;  // by the name of the whole variable
  for (const VariablePtr& variable : from.only_trainable ? TrainableVariables(graph) : GlobalVariables(graph)) {
    const std::string& name = variable->slice ? variable->slice->full_name : variable->op_name();
    if (from.wants) {
      WEIR_ASSIGN(const bool wanted, from.wants(variable->op_name()));
      if (!wanted) continue;
    }
    CheckpointAssignment& assignment = assignments[name];
    const auto renamed = from.saved_names.find(name);
    assignment.saved = renamed == from.saved_names.end() ? name : renamed->second;
    assignment.variables.push_back(variable);
  }
  std::vector<CheckpointAssignment> all;
  for (auto& [name, assignment] : assignments) all.push_back(std::move(assignment));
  TrainInfo("Warm-starting {} variables from {}", all.size(), from.checkpoint);
  return InitFromCheckpoint(graph, *from.env, from.checkpoint, all);
}

}  // namespace weir

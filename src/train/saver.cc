#include "train/saver.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/file_scheme.h"
#include "graph/graph_keys.h"
#include "train/checkpoint_state.h"
#include "train/log.h"
#include "train/restore_errors.h"

namespace weir {
namespace {

double Seconds(const Clock& clock) { return static_cast<double>(clock.NowMicros()) / 1e6; }

Status CheckDef(const tensorflow::SaverDef& def) {
  for (const auto& [what, name] :
       {std::pair("save_tensor_name", def.save_tensor_name()), std::pair("restore_op_name", def.restore_op_name()),
        std::pair("filename_tensor_name", def.filename_tensor_name())})
    if (name.empty()) return InvalidArgument("a SaverDef must have a {}", what);
  return OkStatus();
}

// Adds the likely cause to an error of restoring.
Status ExplainRestore(const Status& status) {
  const char* cause = nullptr;
  if (status.code() == StatusCode::kNotFound)
    cause = "a Variable name or other graph key that is missing from the checkpoint";
  if (status.code() == StatusCode::kInvalidArgument)
    cause = "a mismatch between the current graph and the graph from the checkpoint";
  if (cause == nullptr) return status;
  return WithContext(
      status,
      fmt::format("Restoring from checkpoint failed. This is most likely due to {}. Please ensure that you have "
                  "not altered the graph expected based on the checkpoint. Original error",
                  cause));
}

}  // namespace

RunStep RunIn(Session& session) {
  return [&session](const RunRequest& request) { return session.Run(request); };
}

Saver::Saver(SaverOptions options) : options_(std::move(options)), def_(std::make_shared<tensorflow::SaverDef>()) {
  def_->set_max_to_keep(options_.max_to_keep);
  def_->set_keep_checkpoint_every_n_hours(static_cast<float>(options_.keep_checkpoint_every_n_hours));
  def_->set_sharded(options_.graph.sharded);
  def_->set_version(options_.graph.format_v1 ? tensorflow::SaverDef::V1 : tensorflow::SaverDef::V2);
  next_preserved_secs_ = Seconds(*options_.clock) + options_.keep_checkpoint_every_n_hours * 3600;
}

Result<std::shared_ptr<Saver>> Saver::Make(Graph& graph, SaverOptions options) {
  const bool defer = options.defer_build;
  std::shared_ptr<Saver> saver(new Saver(std::move(options)));
  saver->graph_ = &graph;
  if (!defer) WEIR_TRY(saver->Build(graph));
  return saver;
}

Result<std::shared_ptr<Saver>> Saver::FromDef(tensorflow::SaverDef def, const std::string& import_scope,
                                              SaverOptions options) {
  WEIR_TRY(CheckDef(def));
  options.max_to_keep = def.max_to_keep();
  options.keep_checkpoint_every_n_hours = def.keep_checkpoint_every_n_hours();
  options.graph.sharded = def.sharded();
  def.set_filename_tensor_name(InScope(import_scope, def.filename_tensor_name()));
  def.set_save_tensor_name(InScope(import_scope, def.save_tensor_name()));
  def.set_restore_op_name(InScope(import_scope, def.restore_op_name()));
  std::shared_ptr<Saver> saver(new Saver(std::move(options)));
  *saver->def_ = std::move(def);
  saver->built_ = true;
  return saver;
}

Status Saver::Build(Graph& graph) {
  if (built_) return OkStatus();
  graph_ = &graph;
  SavedObjects objects;
  objects.tables = std::exchange(options_.tables, {});
  objects.iterators = std::exchange(options_.iterators, {});
  objects.work_queues = std::exchange(options_.work_queues, {});
  if (options_.variables.has_value()) {
    objects.variables = *options_.variables;
  } else {
    WEIR_ASSIGN(objects.variables, VariablesBySavedName(GlobalVariables(graph)));
    objects.tables = graph.collections().Of<SavedTable>(graph_keys::kSaveableObjects);
    objects.iterators = graph.collections().Of<SavedIterator>(graph_keys::kSaveableObjects);
    objects.work_queues = graph.collections().Of<SavedWorkQueue>(graph_keys::kSaveableObjects);
  }
  if (objects.empty()) {
    if (!options_.allow_empty) return InvalidArgument("No variables to save");
    is_empty_ = true;
    built_ = true;
    return OkStatus();
  }
  WEIR_ASSIGN(*def_, BuildSaverGraph(graph, objects, options_.graph, std::move(*def_)));
  options_.variables.reset();
  built_ = true;
  return OkStatus();
}

Result<tensorflow::SaverDef> Saver::Def(const std::string& export_scope) const {
  tensorflow::SaverDef def = *def_;
  if (export_scope.empty()) return def;
  const std::string prefix = export_scope + "/";
  for (std::string* name :
       {def.mutable_filename_tensor_name(), def.mutable_save_tensor_name(), def.mutable_restore_op_name()}) {
    if (!name->starts_with(prefix))
      return InvalidArgument("'{}' of the saver is not in the scope '{}'", *name, export_scope);
    name->erase(0, prefix.size());
  }
  return def;
}

Result<std::string> Saver::CheckpointName(const std::string& path, const SaveOptions& options) const {
  const std::string latest = options.latest_filename.empty() ? kCheckpointStateName : options.latest_filename;
  if (latest.find('/') != std::string::npos)
    return InvalidArgument("'latest_filename' must not contain path components");
  if (options.global_step.has_value())
    return options_.pad_step_number ? fmt::format("{}-{:08}", path, *options.global_step)
                                    : fmt::format("{}-{}", path, *options.global_step);
  if (FileNameOf(path) == latest && !def_->sharded())
    return InvalidArgument("'latest_filename' collides with 'save_path': '{}' and '{}'", latest, path);
  return path;
}

Result<std::optional<std::string>> Saver::Save(Graph& graph, const RunStep& run, const std::string& path,
                                               const SaveOptions& options) {
  if (!built_) return FailedPrecondition("`build()` should be called before save if defer_build==True");
  std::lock_guard saving(saving_mu_);
  Env& env = *options_.env;
  WEIR_ASSIGN(const std::string wanted, CheckpointName(path, options));
  const std::string directory(DirectoryOf(path));
  std::optional<std::string> prefix;
  if (!is_empty_) {
    RunRequest request;
    WEIR_ASSIGN(const Output filename, graph.FindOutput(def_->filename_tensor_name()));
    WEIR_ASSIGN(const Output saved, graph.FindOutput(def_->save_tensor_name()));
    request.feeds = {{filename, Tensor::Scalar(wanted)}};
    request.fetches = {saved};
    Result<std::vector<Tensor>> result = run(request);
    if (!result.ok()) {
      if (!directory.empty() && !env.Exists(directory) && result.status().code() == StatusCode::kNotFound)
        return InvalidArgument("Parent directory of {} doesn't exist, can't save.", path);
      return result.status();
    }
    if (result->size() != 1 || (*result)[0].dtype() != kString || (*result)[0].num_elements() != 1)
      return Internal("'{}' returned no file name", def_->save_tensor_name());
    prefix = (*result)[0].scalar<std::string>();
    if (options.write_state) {
      Record(*prefix);
      WEIR_TRY(UpdateCheckpointState(
          env, directory, *prefix, last_checkpoints(),
          {.latest_filename = options.latest_filename, .relative_paths = options_.save_relative_paths}));
      DeleteOld(options.meta_graph_suffix);
    }
  }
  if (options.write_meta_graph) {
    MetaGraphOptions meta_graph = options.meta_graph;
    if (!is_empty_) meta_graph.saver_def = *def_;
    if (!meta_graph.codec.to_item) meta_graph.codec = SaverCodec(*options_.env);
    WEIR_ASSIGN(const tensorflow::MetaGraphDef meta, ExportMetaGraph(graph, meta_graph));
    const std::string name = MetaGraphName(prefix.value_or(wanted), options.meta_graph_suffix);
    WEIR_TRY(env.WriteFileAtomically(name, meta.SerializeAsString()));
  }
  return prefix;
}

Status Saver::Restore(Graph& graph, const RunStep& run, const std::string& path) {
  if (is_empty_) return OkStatus();
  if (!built_) return FailedPrecondition("`build()` should be called before restore if defer_build==True");
  WEIR_TRY(CheckFileScheme(path));
  WEIR_ASSIGN(const bool exists, FindCheckpoint(*options_.env, path));
  const std::string advice = AdviceOnPath(*options_.env, path);
  if (!advice.empty() || !exists)
    return InvalidArgument("The passed save_path is not a valid checkpoint: {}{}{}", path, advice.empty() ? "" : ": ",
                           advice);
  TrainInfo("Restoring parameters from {}", path);
  RunRequest request;
  WEIR_ASSIGN(const Output filename, graph.FindOutput(def_->filename_tensor_name()));
  Node* restore = graph.FindNode(def_->restore_op_name());
  if (restore == nullptr) return NotFound("the graph has no node '{}'", def_->restore_op_name());
  request.feeds = {{filename, Tensor::Scalar(path)}};
  request.targets = {restore};
  // Check before anything is assigned: a resource variable would silently take another shape.
  if (const auto mismatches = ShapeMismatches(graph, *options_.env, *def_, path); !mismatches.empty())
    return ExplainRestore(InvalidArgument("{}", absl::StrJoin(mismatches, "; ")));
  return ExplainRestore(run(request).status());
}

std::vector<std::string> Saver::last_checkpoints() const {
  std::lock_guard lock(mu_);
  std::vector<std::string> paths;
  for (const auto& [path, time] : kept_) paths.push_back(path);
  return paths;
}

Saver::RetainedCheckpoints Saver::last_checkpoints_with_time() const {
  std::lock_guard lock(mu_);
  return kept_;
}

void Saver::set_last_checkpoints(RetainedCheckpoints checkpoints) {
  std::lock_guard lock(mu_);
  kept_ = std::move(checkpoints);
}

void Saver::RecoverLastCheckpoints(const std::vector<std::string>& prefixes) {
  RetainedCheckpoints found;
  for (const std::string& prefix : prefixes) {
    if (const std::optional<double> time = CheckpointTime(*options_.env, prefix); time.has_value())
      found.emplace_back(prefix, *time);
  }
  set_last_checkpoints(std::move(found));
}

void Saver::Record(const std::string& prefix) {
  if (def_->max_to_keep() <= 0) return;
  std::lock_guard lock(mu_);
  const auto same = [&](const auto& kept) { return kept.first == prefix; };
  kept_.erase(std::remove_if(kept_.begin(), kept_.end(), same), kept_.end());
  to_delete_.erase(std::remove_if(to_delete_.begin(), to_delete_.end(), same), to_delete_.end());
  kept_.emplace_back(prefix, Seconds(*options_.clock));
  while (kept_.size() > static_cast<size_t>(def_->max_to_keep())) {
    to_delete_.push_back(kept_.front());
    kept_.erase(kept_.begin());
  }
}

void Saver::DeleteOld(const std::string& meta_graph_suffix) {
  RetainedCheckpoints old;
  {
    std::lock_guard lock(mu_);
    old.swap(to_delete_);
    const auto stays = [this](const auto& checkpoint) {
      if (checkpoint.second <= next_preserved_secs_) return false;
      next_preserved_secs_ += options_.keep_checkpoint_every_n_hours * 3600;
      return true;
    };
    old.erase(std::remove_if(old.begin(), old.end(), stays), old.end());
  }
  for (const auto& [prefix, time] : old) {
    const Status removed = RemoveCheckpoint(*options_.env, prefix, meta_graph_suffix);
    if (!removed.ok()) TrainWarning("Ignoring: {}", std::string(removed.message()));
  }
}

CollectionCodec SaverCodec(Env& env) {
  return {
      .to_item = [](const std::string&, const std::any& item) -> std::optional<CollectionItem> {
        const auto* saver = std::any_cast<std::shared_ptr<Saver>>(&item);
        if (saver == nullptr) return std::nullopt;
        return BytesItem{(*saver)->def().SerializeAsString()};
      },
      .from_item = [&env](Graph&, const std::string& key, const CollectionItem& item,
                          const std::string& scope) -> Result<std::optional<GraphItem>> {
        const auto* bytes = std::get_if<BytesItem>(&item);
        if (key != graph_keys::kSavers || bytes == nullptr) return std::nullopt;
        tensorflow::SaverDef def;
        if (!def.ParseFromString(bytes->bytes)) return DataLoss("collection '{}': a SaverDef cannot be read", key);
        SaverOptions options;
        options.env = &env;
        WEIR_ASSIGN(std::shared_ptr<Saver> saver, Saver::FromDef(std::move(def), scope, std::move(options)));
        return GraphItem{std::move(saver)};
      },
  };
}

Result<std::shared_ptr<Saver>> SaverOfMetaGraph(Graph& graph, const tensorflow::MetaGraphDef& def,
                                                const std::string& import_scope, SaverOptions options) {
  if (def.has_saver_def()) return Saver::FromDef(def.saver_def(), import_scope, std::move(options));
  if (GlobalVariables(graph).empty()) return std::shared_ptr<Saver>();
  return Saver::Make(graph, std::move(options));
}

}  // namespace weir

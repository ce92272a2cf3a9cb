#include "train/saved_model.h"

#include <absl/strings/str_join.h>

#include "base/file_scheme.h"
#include "tensor/tensor_proto.h"

namespace weir {
namespace {

constexpr char kAssetsKey[] = "saved_model_assets";
constexpr char kMainOpKey[] = "saved_model_main_op";
constexpr char kTrainOpKey[] = "saved_model_train_op";
constexpr char kLegacyInitOpKey[] = "legacy_init_op";
// Signatures whose only output names the op to run: newer files use these instead of the collections above.
constexpr const char* kInitSignatures[] = {"__saved_model_init_op", "__saved_model_main_op"};
constexpr char kAssetType[] = "type.googleapis.com/tensorflow.AssetFileDef";
constexpr int kSchemaVersion = 1;

Status CheckTensorInfo(const std::string& signature, const std::string& key, const tensorflow::TensorInfo& info) {
  if (info.encoding_case() == tensorflow::TensorInfo::ENCODING_NOT_SET)
    return InvalidArgument("signature '{}': '{}' names no tensor", signature, key);
  if (info.dtype() == tensorflow::DT_INVALID)
    return InvalidArgument("signature '{}': '{}' has no type", signature, key);
  return OkStatus();
}

tensorflow::CollectionDef OfNode(const Node& node) {
  tensorflow::CollectionDef def;
  def.mutable_node_list()->add_value(node.name());
  return def;
}

std::string Described(const std::set<std::string>& tags) { return "{" + absl::StrJoin(tags, ", ") + "}"; }

std::set<std::string> TagsOf(const tensorflow::MetaGraphDef& def) {
  return {def.meta_info_def().tags().begin(), def.meta_info_def().tags().end()};
}

// The list of a newer file, or the collection of an older one.
Result<std::vector<tensorflow::AssetFileDef>> AssetsOf(const tensorflow::MetaGraphDef& def,
                                                       const std::string& directory) {
  std::vector<tensorflow::AssetFileDef> assets(def.asset_file_def().begin(), def.asset_file_def().end());
  const auto found = def.collection_def().find(kAssetsKey);
  if (!assets.empty() || found == def.collection_def().end()) return assets;
  for (const google::protobuf::Any& any : found->second.any_list().value()) {
    tensorflow::AssetFileDef& asset = assets.emplace_back();
    if (any.type_url() != kAssetType || !asset.ParseFromString(any.value()))
      return DataLoss("{}: an asset of the saved model cannot be read", directory);
  }
  return assets;
}

// Feeds for the asset tensors: paths in the current directory of the model.
Result<std::vector<Feed>> AssetFeeds(Graph& graph, const tensorflow::MetaGraphDef& def, const std::string& directory,
                                     const std::string& scope) {
  std::vector<Feed> feeds;
  WEIR_ASSIGN(const std::vector<tensorflow::AssetFileDef> assets, AssetsOf(def, directory));
  for (const tensorflow::AssetFileDef& asset : assets) {
    // Use only the file name: a path could point outside of the model.
    const std::string name(FileNameOf(asset.filename()));
    WEIR_ASSIGN(const Output output, graph.FindOutput(InScope(scope, asset.tensor_info().name())));
    feeds.push_back({output, Tensor::Scalar(JoinPath(JoinPath(directory, saved_model::kAssets), name))});
  }
  return feeds;
}

Result<Node*> NodeNamed(Graph& graph, const std::string& name, const char* key) {
  Node* node = graph.FindNode(name);
  if (node == nullptr) return NotFound("the saved model has no node '{}', to which its '{}' refers", name, key);
  return node;
}

// The op to run after loading, or null.
Result<Node*> InitOp(Graph& graph, const tensorflow::MetaGraphDef& def, const std::string& scope) {
  for (const char* key : kInitSignatures) {
    const auto found = def.signature_def().find(key);
    if (found == def.signature_def().end()) continue;
    const auto output = found->second.outputs().find(key);
    if (output == found->second.outputs().end())
      return InvalidArgument("the signature '{}' of a saved model has no output of that name", key);
    const std::string& name = output->second.name();
    return NodeNamed(graph, InScope(scope, name.substr(0, name.find(':'))), key);
  }
  for (const char* key : {kMainOpKey, kLegacyInitOpKey}) {
    const auto found = def.collection_def().find(key);
    if (found == def.collection_def().end() || found->second.node_list().value().empty()) continue;
    if (found->second.node_list().value_size() != 1)
      return InvalidArgument("the collection '{}' of a saved model holds {} ops instead of one", key,
                             found->second.node_list().value_size());
    return NodeNamed(graph, InScope(scope, found->second.node_list().value(0)), key);
  }
  return nullptr;
}

}  // namespace

tensorflow::TensorInfo ToTensorInfo(Output output) {
  tensorflow::TensorInfo info;
  info.set_name(output.name());
  info.set_dtype(static_cast<tensorflow::DataType>(output.base_dtype()));
  ToProto(output.shape(), info.mutable_tensor_shape());
  return info;
}

struct SavedModelBuilder::Contents {
  tensorflow::SavedModel model;
  // Collections of the first graph that all graphs share.
  std::map<std::string, tensorflow::CollectionDef> shared_collections;
};

SavedModelBuilder::SavedModelBuilder(std::string directory, Env& env)
    : directory_(std::move(directory)), env_(env), contents_(std::make_shared<Contents>()) {}

const tensorflow::SavedModel& SavedModelBuilder::model() const { return contents_->model; }

Result<std::unique_ptr<SavedModelBuilder>> SavedModelBuilder::Make(std::string directory, Env& env) {
  if (env.Exists(directory)) {
    WEIR_ASSIGN(const std::vector<std::string> names, env.List(directory));
    if (!names.empty()) {
      return FailedPrecondition(
          "Export directory {} already exists, and isn't empty: name another one, or delete what is in it.", directory);
    }
  }
  WEIR_TRY(env.MakeDirectories(directory));
  std::unique_ptr<SavedModelBuilder> builder(new SavedModelBuilder(std::move(directory), env));
  builder->contents_->model.set_saved_model_schema_version(kSchemaVersion);
  return builder;
}

Result<std::shared_ptr<Saver>> SavedModelBuilder::Prepare(Graph& graph, const SavedMetaGraphOptions& options) {
  for (const auto& [name, signature] : options.signatures) {
    for (const auto& [key, info] : signature->inputs()) WEIR_TRY(CheckTensorInfo(name, key, info));
    for (const auto& [key, info] : signature->outputs()) WEIR_TRY(CheckTensorInfo(name, key, info));
  }
  WEIR_TRY(SaveAssets(graph, options));
  if (options.saver != nullptr) return options.saver;
  SaverOptions all;
  all.graph.sharded = true;
  all.allow_empty = true;
  all.env = &env_;
  return Saver::Make(graph, std::move(all));
}

Status SavedModelBuilder::SaveAssets(Graph& graph, const SavedMetaGraphOptions& options) {
  tensorflow::CollectionDef collection;
  std::map<std::string, std::string> written;  // source path by file name
  const std::string folder = JoinPath(directory_, saved_model::kAssets);
  for (const Output& output : options.assets) {
    const Tensor value = graph.ConstantValue(output);
    if (!value.valid() || value.dtype() != DType::kString || value.num_elements() != 1)
      return InvalidArgument("asset {}: expected a constant that holds the path of one file", output.name());
    const std::string path(value.scalar<std::string>());
    const std::string name(FileNameOf(path));
    if (const auto [at, added] = written.emplace(name, path); !added && at->second != path) {
      return InvalidArgument("asset {}: the files {} and {} would have the same name in the saved model", output.name(),
                             at->second, path);
    }
    WEIR_TRY(env_.MakeDirectories(folder));
    WEIR_ASSIGN(const std::string bytes, env_.ReadFile(path));
    WEIR_TRY(env_.WriteFileAtomically(JoinPath(folder, name), bytes));
    tensorflow::AssetFileDef asset;
    asset.set_filename(name);
    asset.mutable_tensor_info()->set_name(output.name());
    google::protobuf::Any* any = collection.mutable_any_list()->add_value();
    any->set_type_url(kAssetType);
    any->set_value(asset.SerializeAsString());
  }
  if (!options.assets.empty()) contents_->shared_collections[kAssetsKey] = std::move(collection);
  return OkStatus();
}

Status SavedModelBuilder::AddMetaGraphAndVariables(Graph& graph, const RunStep& run,
                                                   const std::vector<std::string>& tags,
                                                   const SavedMetaGraphOptions& options) {
  if (has_variables_) {
    return FailedPrecondition(
        "The variables and assets of this model have already been saved: add_meta_graph() adds another graph to them.");
  }
  WEIR_ASSIGN(const std::shared_ptr<Saver> saver, Prepare(graph, options));
  const std::string prefix = JoinPath(directory_, saved_model::kVariables);
  WEIR_TRY(env_.MakeDirectories(std::string(DirectoryOf(prefix))));
  SaveOptions as_part;
  as_part.write_meta_graph = false;
  as_part.write_state = false;
  WEIR_TRY(saver->Save(graph, run, prefix, as_part).status());
  WEIR_TRY(Add(graph, *saver, tags, options));
  has_variables_ = true;
  return OkStatus();
}

Status SavedModelBuilder::AddMetaGraph(Graph& graph, const std::vector<std::string>& tags,
                                       const SavedMetaGraphOptions& options) {
  if (!has_variables_) {
    return FailedPrecondition(
        "The variables and assets of this model have not been saved yet: add_meta_graph_and_variables() comes first.");
  }
  WEIR_ASSIGN(const std::shared_ptr<Saver> saver, Prepare(graph, options));
  return Add(graph, *saver, tags, options);
}

Status SavedModelBuilder::Add(Graph& graph, Saver& saver, const std::vector<std::string>& tags,
                              const SavedMetaGraphOptions& options) {
  const std::pair<const char*, const Node*> ops[] = {
      {kMainOpKey, options.main_op}, {kLegacyInitOpKey, options.legacy_init_op}, {kTrainOpKey, options.train_op}};
  for (const auto& [key, node] : ops)
    if (node != nullptr) contents_->shared_collections[key] = OfNode(*node);
  MetaGraphOptions meta_options = options.meta_graph;
  if (!saver.is_empty()) meta_options.saver_def = saver.def();
  WEIR_ASSIGN(tensorflow::MetaGraphDef meta, ExportMetaGraph(graph, meta_options));
  for (const std::string& tag : tags) meta.mutable_meta_info_def()->add_tags(tag);
  for (const auto& [key, def] : contents_->shared_collections) (*meta.mutable_collection_def())[key] = def;
  for (const auto& [key, signature] : options.signatures) (*meta.mutable_signature_def())[key] = *signature;
  *contents_->model.add_meta_graphs() = std::move(meta);
  return OkStatus();
}

Result<std::string> SavedModelBuilder::Save() {
  const std::string path = JoinPath(directory_, saved_model::kFile);
  WEIR_TRY(env_.WriteFileAtomically(path, contents_->model.SerializeAsString()));
  return path;
}

Result<std::string> SavePredictor(Graph& graph, const RunStep& run, const std::string& directory,
                                  const std::map<std::string, Output>& inputs,
                                  const std::map<std::string, Output>& outputs, Env& env) {
  SavedMetaGraphOptions options;
  tensorflow::SignatureDef signature;
  for (const auto& [key, output] : inputs) (*signature.mutable_inputs())[key] = ToTensorInfo(output);
  for (const auto& [key, output] : outputs) (*signature.mutable_outputs())[key] = ToTensorInfo(output);
  signature.set_method_name(saved_model::kPredict);
  options.signatures[saved_model::kDefaultSignature] = std::move(signature);
  WEIR_ASSIGN(const std::unique_ptr<SavedModelBuilder> builder, SavedModelBuilder::Make(directory, env));
  WEIR_TRY(builder->AddMetaGraphAndVariables(graph, run, {saved_model::kServing}, options));
  return builder->Save();
}

Result<tensorflow::SavedModel> ReadSavedModel(const std::string& directory, Env& env) {
  const std::string path = JoinPath(directory, saved_model::kFile);
  WEIR_TRY(CheckFileScheme(path));
  if (!env.Exists(path)) return NotFound("SavedModel file does not exist at: {}", path);
  WEIR_ASSIGN(const std::string bytes, env.ReadFile(path));
  tensorflow::SavedModel model;
  if (!model.ParseFromString(bytes)) return DataLoss("{}: not a SavedModel, or corrupt", path);
  return model;
}

Result<tensorflow::MetaGraphDef> FindMetaGraph(const tensorflow::SavedModel& model, const std::string& directory,
                                               const std::set<std::string>& tags) {
  std::vector<std::string> available;
  for (const tensorflow::MetaGraphDef& def : model.meta_graphs()) {
    if (TagsOf(def) == tags) return def;
    available.push_back(Described(TagsOf(def)));
  }
  return NotFound("MetaGraphDef associated with tags {} could not be found in the SavedModel at {}; available: {}",
                  Described(tags), directory, absl::StrJoin(available, ", "));
}

Status LoadMetaGraph(Graph& graph, const RunStep& run, const tensorflow::MetaGraphDef& def,
                     const std::string& directory, const ImportMetaGraphOptions& options, Env& env) {
  WEIR_ASSIGN(const ImportedMetaGraph imported, ImportMetaGraph(graph, def, options));
  SaverOptions saver_options;
  saver_options.env = &env;
  WEIR_ASSIGN(const std::shared_ptr<Saver> saver, SaverOfMetaGraph(graph, def, imported.scope, saver_options));
  if (saver != nullptr && !saver->is_empty())
    WEIR_TRY(saver->Restore(graph, run, JoinPath(directory, saved_model::kVariables)));
  WEIR_ASSIGN(Node * init, InitOp(graph, def, imported.scope));
  if (init == nullptr) return OkStatus();
  WEIR_ASSIGN(std::vector<Feed> feeds, AssetFeeds(graph, def, directory, imported.scope));
  RunRequest request;
  request.feeds = std::move(feeds);
  request.targets = {init};
  return run(request).status();
}

}  // namespace weir

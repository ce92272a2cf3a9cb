#include "train/meta_graph.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_join.h"
#include "graph/attr_proto.h"
#include "graph/graph_def.h"
#include "graph/graph_keys.h"
#include "train/flow_contexts.h"
#include "train/log.h"
#include "train/queue_runner.h"

namespace weir {
namespace {

constexpr const char* kVariableCollections[] = {graph_keys::kGlobalVariables,    graph_keys::kLocalVariables,
                                                graph_keys::kMetricVariables,    graph_keys::kModelVariables,
                                                graph_keys::kTrainableVariables, graph_keys::kMovingAverageVariables,
                                                graph_keys::kGlobalStep};
constexpr char kSavers[] = "savers";
constexpr char kTensorFlowVersion[] = "1.15.5";

bool HoldsVariables(const std::string& key) {
  for (const char* known : kVariableCollections)
    if (key == known) return true;
  return false;
}

// The exported part of a graph: the nodes in a scope, with the scope removed from their names. Without a scope:
// everything.
class ExportScope {
 public:
  explicit ExportScope(const std::string& scope) {
    if (!scope.empty()) prefix_ = scope.ends_with('/') ? scope : scope + "/";
  }
  bool is_all() const { return prefix_.empty(); }
  bool Has(std::string_view name) const { return name.starts_with(prefix_); }
  // REQUIRES: Has(name).
  std::string Without(std::string_view name) const { return std::string(name.substr(prefix_.size())); }

  // Keeps only the nodes of the scope. Inputs from outside get a name that no node has; returns these names.
  std::set<std::string> Restrict(tensorflow::GraphDef* def) const {
    std::set<std::string> unbound;
    if (is_all()) return unbound;
    tensorflow::GraphDef left = *def;
    left.clear_node();
    for (const tensorflow::NodeDef& node : def->node())
      if (Has(node.name())) *left.add_node() = Renamed(node, &unbound);
    *def = std::move(left);
    return unbound;
  }

  // nullopt if the variable is outside of the scope.
  std::optional<tensorflow::VariableDef> Restrict(tensorflow::VariableDef def) const {
    if (is_all()) return def;
    if (!Has(def.variable_name())) return std::nullopt;
    for (std::string* name : {def.mutable_variable_name(), def.mutable_initializer_name(), def.mutable_snapshot_name(),
                              def.mutable_initial_value_name()})
      if (Has(*name)) *name = Without(*name);
    if (def.has_save_slice_info_def() && Has(def.save_slice_info_def().full_name()))
      def.mutable_save_slice_info_def()->set_full_name(Without(def.save_slice_info_def().full_name()));
    return def;
  }

 private:
  static constexpr char kUnboundPrefix[] = "$unbound_inputs_";
  tensorflow::NodeDef Renamed(tensorflow::NodeDef node, std::set<std::string>* unbound) const {
    node.set_name(Without(node.name()));
    google::protobuf::RepeatedPtrField<std::string> inputs;
    for (const std::string& input : node.input()) {
      const bool is_control = input.starts_with('^');
      const std::string name = is_control ? input.substr(1) : input;
      if (Has(name)) {
        *inputs.Add() = (is_control ? "^" : "") + Without(name);
      } else if (!is_control) {  // control inputs from outside are dropped
        *inputs.Add() = kUnboundPrefix + name;
        unbound->insert(kUnboundPrefix + name);
      }
    }
    *node.mutable_input() = std::move(inputs);
    if (const auto placed = node.mutable_attr()->find("_class"); placed != node.mutable_attr()->end()) {
      constexpr std::string_view kWith = "loc:@";
      for (std::string& with : *placed->second.mutable_list()->mutable_s())
        if (with.starts_with(kWith) && Has(with.substr(kWith.size())))
          with = std::string(kWith) + Without(with.substr(kWith.size()));
    }
    return node;
  }

  std::string prefix_;
};

std::optional<CollectionItem> NamedItem(const std::string& name, const ExportScope& scope) {
  if (!scope.Has(name)) return std::nullopt;
  return NodeNameItem{scope.Without(name)};
}

// Converts the item types that C++ code adds to collections; the codec converts others.
std::optional<CollectionItem> ToItem(const std::string& key, const std::any& item, const CollectionCodec& codec,
                                     const ExportScope& scope) {
  if (const VariablePtr* variable = std::any_cast<VariablePtr>(&item)) {
    if (!HoldsVariables(key)) return NamedItem((*variable)->name(), scope);
    const auto def = scope.Restrict(ToVariableDef(**variable));
    return def ? std::optional<CollectionItem>(BytesItem{def->SerializeAsString()}) : std::nullopt;
  }
  if (const Output* output = std::any_cast<Output>(&item)) return NamedItem(output->name(), scope);
  if (Node* const* node = std::any_cast<Node*>(&item)) return NamedItem((*node)->name(), scope);
  if (const std::string* text = std::any_cast<std::string>(&item)) return BytesItem{*text};
  if (const int64_t* number = std::any_cast<int64_t>(&item)) return *number;
  if (const QueueRunnerPtr* runner = std::any_cast<QueueRunnerPtr>(&item); runner != nullptr && scope.is_all()) {
    const std::optional<tensorflow::QueueRunnerDef> def = (*runner)->ToProto();
    if (def.has_value()) return BytesItem{def->SerializeAsString()};
  }
  return codec.to_item && scope.is_all() ? codec.to_item(key, item) : std::nullopt;
}

// Adds an item. False if its kind differs from that of earlier items.
bool AddItem(const CollectionItem& item, tensorflow::CollectionDef* def) {
  using Def = tensorflow::CollectionDef;
  const auto fits = [&](Def::KindCase kind) {
    return def->kind_case() == Def::KIND_NOT_SET || def->kind_case() == kind;
  };
  if (const auto* node = std::get_if<NodeNameItem>(&item)) {
    if (!fits(Def::kNodeList)) return false;
    def->mutable_node_list()->add_value(node->name);
  } else if (const auto* bytes = std::get_if<BytesItem>(&item)) {
    if (!fits(Def::kBytesList)) return false;
    def->mutable_bytes_list()->add_value(bytes->bytes);
  } else if (const auto* number = std::get_if<int64_t>(&item)) {
    if (!fits(Def::kInt64List)) return false;
    def->mutable_int64_list()->add_value(*number);
  } else {
    if (!fits(Def::kFloatList)) return false;
    def->mutable_float_list()->add_value(std::get<float>(item));
  }
  return true;
}

void ExportCollection(const Graph& graph, const std::string& key, const CollectionCodec& codec,
                      const ExportScope& scope, tensorflow::MetaGraphDef* meta) {
  tensorflow::CollectionDef def;
  for (const std::any& item : graph.collections().Items(key)) {
    const std::optional<CollectionItem> value = ToItem(key, item, codec, scope);
    if (!value.has_value() && !scope.is_all()) continue;
    if (!value.has_value() || !AddItem(*value, &def)) {
      TrainWarning("collection '{}' is not written to the meta graph: its items cannot be serialized", key);
      return;
    }
  }
  if (def.kind_case() != tensorflow::CollectionDef::KIND_NOT_SET)
    (*meta->mutable_collection_def())[key] = std::move(def);
}

// Adds the definitions of all ops that the nodes use.
void AddOps(const Graph& graph, const tensorflow::GraphDef& def, tensorflow::OpList* list) {
  std::set<std::string> names;
  for (const auto& node : def.node()) names.insert(node.op());
  for (const auto& function : def.library().function())
    for (const auto& node : function.node_def()) names.insert(node.op());
  for (const std::string& name : names)
    if (const OpDef* op = graph.registry().Find(name); op != nullptr) ToProto(*op, list->add_op());
}

// Removes the nodes of savers other than `kept`: every scope with its own "SaveV2".
void RemoveOtherSavers(const OptionalMessage<tensorflow::SaverDef>& kept, tensorflow::GraphDef* def) {
  const auto scope_of = [](const std::string& name) { return name.substr(0, name.find('/')); };
  const std::string own = kept.has_value() ? scope_of(kept->save_tensor_name()) : "";
  std::set<std::string> others;
  for (const auto& node : def->node()) {
    if ((node.op() == "SaveV2" || node.op() == "SaveSlices") && node.name().find('/') != std::string::npos &&
        scope_of(node.name()) != own)
      others.insert(scope_of(node.name()));
  }
  tensorflow::GraphDef left = *def;
  left.clear_node();
  for (auto& node : *def->mutable_node())
    if (!others.contains(scope_of(node.name()))) *left.add_node() = std::move(node);
  *def = std::move(left);
}

void StripDefaultAttrs(const Graph& graph, tensorflow::GraphDef* def) {
  for (auto& node : *def->mutable_node()) {
    const OpDef* op = graph.registry().Find(node.op());
    if (op == nullptr) continue;
    tensorflow::OpDef proto;
    ToProto(*op, &proto);
    for (const auto& attr : proto.attr()) {
      const auto at = node.attr().find(attr.name());
      if (at != node.attr().end() && attr.has_default_value() &&
          at->second.SerializeAsString() == attr.default_value().SerializeAsString())
        node.mutable_attr()->erase(attr.name());
    }
  }
}

// Checks that input_map provides all inputs from outside.
Status CheckBound(const tensorflow::MetaGraphDef& def, const std::map<std::string, Output>& inputs) {
  const auto unbound = def.collection_def().find(kUnboundInputs);
  if (unbound == def.collection_def().end()) return OkStatus();
  std::vector<std::string> missing;
  for (const std::string& name : unbound->second.bytes_list().value())
    if (!inputs.contains(name) && !inputs.contains(name + ":0")) missing.push_back(name);
  if (missing.empty()) return OkStatus();
  return InvalidArgument("Graph contains unbound inputs: {}. Must provide these inputs through input_map.",
                         absl::StrJoin(missing, ", "));
}

// Imports the collections of a message into a graph.
class CollectionImporter {
 public:
  CollectionImporter(Graph& graph, const ImportMetaGraphOptions& options, ImportedMetaGraph& imported)
      : graph_(graph), options_(options), imported_(imported) {}

  Status Import(const std::string& key, const tensorflow::CollectionDef& def) {
    if (key == kUnboundInputs) return OkStatus();
    if (key == graph_keys::kCondContext || key == graph_keys::kWhileContext) {
      ImportFlowContexts(graph_, key, def, imported_.scope);
      return OkStatus();
    }
    using Def = tensorflow::CollectionDef;
    switch (def.kind_case()) {
      case Def::kNodeList:
        for (const std::string& name : def.node_list().value())
          WEIR_TRY(ImportNode(key, InScope(imported_.scope, name)));
        return OkStatus();
      case Def::kBytesList:
        for (const std::string& bytes : def.bytes_list().value()) WEIR_TRY(ImportBytes(key, bytes));
        return OkStatus();
      case Def::kInt64List:
        for (const int64_t number : def.int64_list().value()) graph_.collections().Add(key, number);
        return OkStatus();
      case Def::kFloatList:
        for (const float number : def.float_list().value()) WEIR_TRY(ImportOther(key, CollectionItem(number), number));
        return OkStatus();
      default:
        return OkStatus();
    }
  }

 private:
  Status ImportNode(const std::string& key, const std::string& name) {
    if (name.find(':') != std::string::npos) {
      WEIR_ASSIGN(const Output output, graph_.FindOutput(name));
      graph_.collections().Add(key, output);
      return OkStatus();
    }
    Node* node = graph_.FindNode(name);
    if (node == nullptr) return NotFound("collection '{}': the graph has no node '{}'", key, name);
    graph_.collections().Add(key, node);
    return OkStatus();
  }
  Status ImportBytes(const std::string& key, const std::string& bytes) {
    if (!HoldsVariables(key)) return ImportOther(key, BytesItem{bytes}, bytes);
    VariablePtr& variable = made_[bytes];
    if (variable == nullptr) {
      tensorflow::VariableDef def;
      if (!def.ParseFromString(bytes)) return DataLoss("collection '{}': a variable's definition cannot be read", key);
      WEIR_ASSIGN(variable, FromVariableDef(graph_, def, imported_.scope));
      imported_.variables[def.variable_name()] = variable;
    }
    graph_.collections().Add(key, variable);
    return OkStatus();
  }
  Status ImportOther(const std::string& key, const CollectionItem& item, std::any otherwise) {
    if (const auto* bytes = std::get_if<BytesItem>(&item); key == graph_keys::kQueueRunners && bytes != nullptr) {
      tensorflow::QueueRunnerDef def;
      if (!def.ParseFromString(bytes->bytes))
        return InvalidArgument("collection '{}' has no QueueRunnerDef in it", key);
      WEIR_ASSIGN(otherwise, QueueRunner::FromProto(graph_, def, imported_.scope));
      graph_.collections().Add(key, std::move(otherwise));
      return OkStatus();
    }
    if (options_.codec.from_item) {
      WEIR_ASSIGN(const std::optional<GraphItem> made, options_.codec.from_item(graph_, key, item, imported_.scope));
      if (made.has_value()) otherwise = made->value;
    }
    graph_.collections().Add(key, std::move(otherwise));
    return OkStatus();
  }

  Graph& graph_;
  const ImportMetaGraphOptions& options_;
  ImportedMetaGraph& imported_;
  std::map<std::string, VariablePtr> made_;  // by serialized bytes: a variable in several collections is one object
};

}  // namespace

std::string InScope(const std::string& scope, const std::string& name) {
  if (scope.empty() || name.empty()) return name;
  return name.starts_with('^') ? "^" + scope + "/" + name.substr(1) : scope + "/" + name;
}

tensorflow::VariableDef ToVariableDef(const Variable& variable) {
  tensorflow::VariableDef def;
  def.set_variable_name(variable.name());
  def.set_initializer_name(variable.initializer()->name());
  def.set_snapshot_name(variable.value().name());
  if (variable.initial_value().valid()) def.set_initial_value_name(variable.initial_value().name());
  def.set_trainable(variable.trainable());
  def.set_is_resource(variable.is_resource());
  if (variable.slice.has_value()) {
    tensorflow::SaveSliceInfoDef& slice = *def.mutable_save_slice_info_def();
    slice.set_full_name(variable.slice->full_name);
    for (const int64_t dim : variable.slice->full_shape) slice.add_full_shape(dim);
    for (const int64_t dim : variable.slice->offset) slice.add_var_offset(dim);
    for (const int64_t dim : variable.slice->shape) slice.add_var_shape(dim);
  }
  return def;
}

Result<VariablePtr> FromVariableDef(Graph& graph, const tensorflow::VariableDef& def, const std::string& scope) {
  WEIR_ASSIGN(VariablePtr variable,
              Variable::FromNodes(graph, InScope(scope, def.variable_name()), InScope(scope, def.initializer_name()),
                                  InScope(scope, def.snapshot_name()), InScope(scope, def.initial_value_name()),
                                  def.trainable(), def.is_resource()));
  if (def.has_save_slice_info_def()) {
    const tensorflow::SaveSliceInfoDef& slice = def.save_slice_info_def();
    if (slice.full_shape_size() != slice.var_offset_size() || slice.full_shape_size() != slice.var_shape_size())
      return InvalidArgument(
          "variable '{}': malformed save slice: full_shape has {} dimensions, var_offset {} and var_shape {}",
          def.variable_name(), slice.full_shape_size(), slice.var_offset_size(), slice.var_shape_size());
    variable->slice = SaveSlice{.full_name = InScope(scope, slice.full_name()),
                                .full_shape = {slice.full_shape().begin(), slice.full_shape().end()},
                                .offset = {slice.var_offset().begin(), slice.var_offset().end()},
                                .shape = {slice.var_shape().begin(), slice.var_shape().end()}};
  }
  return variable;
}

Result<tensorflow::MetaGraphDef> ExportMetaGraph(const Graph& graph, const MetaGraphOptions& options) {
  tensorflow::MetaGraphDef meta;
  if (options.graph_def.has_value()) {
    *meta.mutable_graph_def() = *options.graph_def;
  } else {
    WEIR_ASSIGN(*meta.mutable_graph_def(), ExportGraphDef(graph, {.add_shapes = true}));
  }
  const ExportScope scope(options.export_scope);
  const std::set<std::string> unbound = scope.Restrict(meta.mutable_graph_def());
  if (!scope.is_all() && meta.graph_def().node().empty())
    return InvalidArgument("there is nothing to export: the graph has no nodes below '{}'", options.export_scope);
  for (const std::string& name : unbound)
    (*meta.mutable_collection_def())[kUnboundInputs].mutable_bytes_list()->add_value(name);
  if (options.clear_devices)
    for (auto& node : *meta.mutable_graph_def()->mutable_node()) node.clear_device();
  if (options.clear_extraneous_savers) RemoveOtherSavers(options.saver_def, meta.mutable_graph_def());
  if (options.strip_default_attrs) StripDefaultAttrs(graph, meta.mutable_graph_def());
  auto& info = *meta.mutable_meta_info_def();
  AddOps(graph, meta.graph_def(), info.mutable_stripped_op_list());
  info.set_tensorflow_version(kTensorFlowVersion);
  info.set_tensorflow_git_version("unknown");
  info.set_stripped_default_attrs(options.strip_default_attrs);
  if (options.saver_def.has_value()) *meta.mutable_saver_def() = *options.saver_def;
  const std::vector<std::string> keys = options.collections.value_or(graph.collections().Names());
  for (const std::string& key : keys) {
    if (key.starts_with("__") || key.find('\x01') != std::string::npos) continue;  // local to this process
    if (options.clear_extraneous_savers && key == kSavers) continue;
    ExportCollection(graph, key, options.codec, scope, &meta);
  }
  for (const char* key : {graph_keys::kCondContext, graph_keys::kWhileContext}) {
    const bool wanted = !options.collections.has_value() || std::count(keys.begin(), keys.end(), key) > 0;
    if (wanted && scope.is_all()) ExportFlowContexts(graph, key, &meta);
  }
  return meta;
}

Result<ImportedMetaGraph> ImportMetaGraph(Graph& graph, const tensorflow::MetaGraphDef& def,
                                          const ImportMetaGraphOptions& options) {
  WEIR_TRY(CheckBound(def, options.input_map));
  ImportedMetaGraph imported;
  ImportOptions import;
  import.input_map = options.input_map;
  import.uniquify_names = false;
  // Made unique here and not by the import, because the collections need the name too.
  imported.scope = options.import_scope.empty() ? graph.build().name_scope : graph.UniqueName(options.import_scope);
  if (!imported.scope.empty()) {
    import.prefix = imported.scope;
    import.uniquify_prefix = false;
  }
  tensorflow::GraphDef graph_def = def.graph_def();
  if (options.clear_devices)
    for (auto& node : *graph_def.mutable_node()) node.clear_device();
  WEIR_TRY(ImportGraphDef(graph, graph_def, import).status());
  CollectionImporter importer(graph, options, imported);
  std::map<std::string, const tensorflow::CollectionDef*> sorted;
  for (const auto& [key, collection] : def.collection_def()) sorted[key] = &collection;
  for (const auto& [key, collection] : sorted) WEIR_TRY(importer.Import(key, *collection));
  return imported;
}

Result<tensorflow::MetaGraphDef> ReadMetaGraphFile(Env& env, const std::string& path) {
  WEIR_ASSIGN(const std::string bytes, env.ReadFile(path));
  tensorflow::MetaGraphDef def;
  if (!def.ParseFromString(bytes)) return DataLoss("{}: cannot be read as a MetaGraphDef", path);
  return def;
}

}  // namespace weir

#include "train/saver_graph.h"

#include <optional>

#include "absl/strings/str_join.h"
#include "graph/build/array_ops.h"
#include "graph/build/io_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/state_ops.h"
#include "graph/build/string_ops.h"

namespace weir {
namespace {

// One variable with the place it has in the checkpoint.
struct Saveable {
  std::string name;
  std::string slice;  // "4 3 0,2:0,3"; empty: all of it
  VariablePtr variable;
};

Result<std::vector<Saveable>> Saveables(const SavedVariables& variables) {
  std::vector<Saveable> result;
  for (const auto& [name, parts] : variables) {
    for (const VariablePtr& part : parts) {
      if (!part->slice.has_value() && parts.size() > 1)
        return InvalidArgument("At least two variables have the same name: {}", name);
      result.push_back({name, part->slice.has_value() ? SliceSpec(*part->slice) : "", part});
    }
  }
  return result;
}

// What a save node takes: the reference itself, so that it sees updates ordered before it; a read of others.
Output ValueToSave(const Saveable& saveable) {
  const Variable& v = *saveable.variable;
  return v.is_resource() || !saveable.slice.empty() ? v.value() : v.handle();
}

struct Columns {
  Tensor names;
  Tensor slices;
  std::vector<DType> types;
};
Columns ColumnsOf(const std::vector<Saveable>& saveables) {
  std::vector<std::string> names;
  std::vector<std::string> slices;
  Columns columns;
  for (const Saveable& saveable : saveables) {
    names.push_back(saveable.name);
    slices.push_back(saveable.slice);
    columns.types.push_back(saveable.variable->dtype());
  }
  columns.names = Tensor::Vector<std::string>(absl::MakeConstSpan(names));
  columns.slices = Tensor::Vector<std::string>(absl::MakeConstSpan(slices));
  return columns;
}

// The file's name, once everything is in it.
Output AddSave(Graph& graph, Output filename, const std::vector<Saveable>& saveables) {
  const Columns columns = ColumnsOf(saveables);
  InputList values;
  for (const Saveable& saveable : saveables) values.emplace_back(ValueToSave(saveable));
  Node* save = SaveV2(graph, filename, columns.names, columns.slices, values);
  if (save == nullptr) return Output::Failed(graph);
  ControlDependencies after(graph, {save});
  ColocationScope with(graph, filename.node);
  return Identity(filename, {.name = "control_dependency"});
}

Node* AddAssign(Graph& graph, const Saveable& saveable, Output value, bool reshape) {
  const Variable& v = *saveable.variable;
  if (reshape) {
    const PartialShape shape = v.shape();
    const Input wanted = shape.fully_defined() ? Input(std::vector<int64_t>(shape.dims().begin(), shape.dims().end()))
                                               : Input(ShapeOf(v.value()));
    value = Reshape(value, wanted);
  }
  if (!v.is_resource())
    return Assign(v.handle(), value, {.validate_shape = !reshape && v.shape().fully_defined()}).node;
  DeviceScope on_device(graph, v.device());
  if (const Result<PartialShape> merged = v.shape().Merge(value.shape()); !merged.ok()) {
    graph.RecordError(merged.status());
    return nullptr;
  }
  return AssignVariableOp(v.handle(), Identity(value));
}

Node* AddRestore(Graph& graph, Output filename, const std::vector<Saveable>& saveables, bool reshape,
                 const std::string& name) {
  const Columns columns = ColumnsOf(saveables);
  OutputList values;
  {
    DeviceScope on_cpu(graph, "/device:CPU:0");
    values = RestoreV2(graph, filename, columns.names, columns.slices, columns.types);
  }
  if (values.size() != saveables.size()) return nullptr;
  std::vector<Node*> assigned;
  for (size_t i = 0; i < saveables.size(); ++i) assigned.push_back(AddAssign(graph, saveables[i], values[i], reshape));
  return Group(graph, assigned, name);
}

Result<std::map<std::string, std::vector<Saveable>>> ByDevice(const std::vector<Saveable>& saveables) {
  std::map<std::string, std::vector<Saveable>> result;
  for (const Saveable& saveable : saveables) {
    WEIR_ASSIGN(const DeviceName device, DeviceName::Parse(saveable.variable->device()));
    result[device.ToString()].push_back(saveable);
  }
  return result;
}

Result<std::string> FirstCpuOf(const std::string& device) {
  WEIR_ASSIGN(DeviceName name, DeviceName::Parse(device));
  name.type = "CPU";
  name.index = 0;
  return name.ToString();
}

// Each device writes its own file below a folder of its own; the last one then makes one checkpoint of them.
Result<Output> AddShardedSave(Graph& graph, Output filename,
                              const std::map<std::string, std::vector<Saveable>>& per_device) {
  Output prefix;
  {
    DeviceScope on_cpu(graph, "/device:CPU:*");
    const Output is_object_store = StaticRegexFullMatch(filename, "^s3://.*");
    const Output object_suffix = Constant(graph, Tensor::Scalar(".part"));
    const Output suffix = Constant(graph, Tensor::Scalar("_temp/part"));
    prefix = StringJoin({filename, Select(is_object_store, object_suffix, suffix)});
  }
  const Output count = Constant(graph, Tensor::Scalar(static_cast<int32_t>(per_device.size())), "num_shards");
  InputList files;
  std::vector<Node*> saved;
  std::string last;
  int32_t shard = 0;
  for (const auto& [device, saveables] : per_device) {
    WEIR_ASSIGN(last, FirstCpuOf(device));
    DeviceScope on_device(graph, last);
    const Output file = ShardedFilename(prefix, shard++, count);
    WEIR_TRY(graph.TakeError());
    files.emplace_back(file);
    saved.push_back(AddSave(graph, file, saveables).node);
    WEIR_TRY(graph.TakeError());
  }
  ControlDependencies after(graph, saved);
  DeviceScope on_last(graph, last);
  Node* merged = nullptr;
  {
    NameScope scope(graph, "MergeV2Checkpoints");
    const Output prefixes = Pack(graph, files, {.name = "checkpoint_prefixes"});
    merged = MergeV2Checkpoints(graph, prefixes, filename, {.name = scope.name() + "/"});
  }
  WEIR_TRY(graph.TakeError());
  ControlDependencies after_merge(graph, {merged});
  return Identity(filename);
}

}  // namespace

std::string SliceSpec(const SaveSlice& slice) {
  std::vector<std::string> extents;
  for (size_t i = 0; i < slice.offset.size(); ++i)
    extents.push_back(fmt::format("{},{}", slice.offset[i], slice.shape[i]));
  return absl::StrJoin(slice.full_shape, " ") + " " + absl::StrJoin(extents, ":");
}

Result<SavedVariables> NamedForSaving(const std::vector<VariablePtr>& variables) {
  SavedVariables result;
  for (const VariablePtr& v : variables) {
    std::vector<VariablePtr>& parts = result[v->slice.has_value() ? v->slice->full_name : v->op_name()];
    const bool differ = !parts.empty() && (!v->slice.has_value() || !parts.front()->slice.has_value());
    if (differ) return InvalidArgument("At least two variables have the same name: {}", v->op_name());
    parts.push_back(v);
  }
  return result;
}

Result<tensorflow::SaverDef> BuildSaverGraph(Graph& graph, const SavedVariables& variables,
                                             const SaverGraphOptions& options, tensorflow::SaverDef def) {
  WEIR_ASSIGN(const std::vector<Saveable> saveables, Saveables(variables));
  NameScope scope(graph, options.name.empty() ? "save" : options.name);
  const std::string default_name = options.filename.empty() ? "model" : options.filename;
  Output filename =
      PlaceholderWithDefault(graph, Tensor::Scalar(default_name), PartialShape::Scalar(), {.name = "filename"});
  filename = PlaceholderWithDefault(filename, PartialShape::Scalar(), {.name = "Const"});
  WEIR_TRY(graph.TakeError());
  Output saved;
  Node* restored = nullptr;
  if (options.sharded) {
    WEIR_ASSIGN(const auto per_device, ByDevice(saveables));
    WEIR_ASSIGN(saved, AddShardedSave(graph, filename, per_device));
    std::vector<Node*> shards;
    for (const auto& [device, part] : per_device) {
      DeviceScope on_device(graph, device);
      shards.push_back(AddRestore(graph, filename, part, options.reshape, "restore_shard"));
    }
    WEIR_TRY(graph.TakeError());
    restored = Group(graph, shards, "restore_all");
  } else {
    saved = AddSave(graph, filename, saveables);
    restored = AddRestore(graph, filename, saveables, options.reshape, "restore_all");
  }
  WEIR_TRY(graph.TakeError());
  def.set_filename_tensor_name(filename.name());
  def.set_save_tensor_name(saved.name());
  def.set_restore_op_name(restored->name());
  return def;
}

}  // namespace weir

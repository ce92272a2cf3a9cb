#include "train/saver_graph.h"

#include <functional>
#include <utility>

#include "absl/strings/str_join.h"
#include "graph/build/array_ops.h"
#include "graph/build/data_ops.h"
#include "graph/build/io_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/state_ops.h"
#include "graph/build/string_ops.h"
#include "graph/compose/names.h"
#include "graph/node_builder.h"

namespace weir {
namespace {

// An object to save: its entries in a checkpoint, and how to assign restored values.
struct Saveable {
  struct Entry {
    std::string name;
    std::string slice;  // "4 3 0,2:0,3"; empty: the whole tensor
    Output value;
  };
  std::vector<Entry> entries;
  std::string device;
  std::function<Node*(Graph& graph, const std::vector<Output>& restored)> assign;
  Node* variable = nullptr;  // that this assigns
  Node* before = nullptr;    // a variable that is assigned after this: who sees its value also sees this object's
};

Node* AssignRestored(Graph& graph, const Variable& v, Output value, bool reshape) {
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

Saveable OfVariable(const std::string& name, const VariablePtr& v, bool reshape) {
  const std::string slice = v->slice.has_value() ? SliceSpec(*v->slice) : "";
  // Save the reference itself, so that updates ordered before the save are seen; for resources and partitions, save a
  // read.
  const Output value = v->is_resource() || !slice.empty() ? v->value() : v->handle();
  return {.entries = {{name, slice, value}},
          .device = v->device(),
          .assign =
              [v, reshape](Graph& graph, const std::vector<Output>& restored) {
                return AssignRestored(graph, *v, restored[0], reshape);
              },
          .variable = v->handle().node};
}

Saveable OfTable(const SavedTable& saved) {
  const Output handle = saved.table.handle;
  const std::string& name = handle.node->name();
  return {.entries = {{name + "-keys", "", saved.keys}, {name + "-values", "", saved.values}},
          .device = handle.node->device(),
          .assign = [handle, name](Graph& graph, const std::vector<Output>& restored) {
            NameScope scope(graph, name + "_table_restore");
            ColocationScope with(graph, handle.node);
            return LookupTableImportV2(graph, handle, restored[0], restored[1]);
          }};
}

Saveable OfIterator(const SavedIterator& saved) {
  const Output handle = saved.handle;
  return {.entries = {{handle.node->name() + "-iterator_state", "", saved.state}},
          .device = handle.node->device(),
          .assign = [handle](Graph& graph, const std::vector<Output>& restored) {
            ColocationScope with(graph, handle.node);
            return DeserializeIterator(graph, handle, restored[0]);
          }};
}

// Workers take work as soon as the variables are initialized, and must not take what was there before.
Saveable OfWorkQueue(const SavedWorkQueue& saved) {
  const WorkQueue queue = saved.queue;
  return {.entries = {{queue.name() + "-works", "", saved.left}, {queue.name() + "-state", "", saved.state}},
          .device = queue.handle().node->device(),
          .assign = [queue](Graph&,
                            const std::vector<Output>& restored) { return queue.Restore(restored[0], restored[1]); },
          .before = queue.slices()->handle().node};
}

// Sorted by name.
Result<std::vector<Saveable>> Saveables(const SavedObjects& objects, bool reshape) {
  std::map<std::string, std::vector<Saveable>> by_name;
  for (const auto& [name, parts] : objects.variables) {
    for (const VariablePtr& part : parts) {
      if (!part->slice.has_value() && parts.size() > 1)
        return InvalidArgument("At least two variables have the same name: {}", name);
      by_name[name].push_back(OfVariable(name, part, reshape));
    }
  }
  for (const SavedTable& table : objects.tables) {
    const std::string& name = table.table.handle.node->name();
    std::vector<Saveable>& same = by_name[name];
    if (!same.empty()) return InvalidArgument("At least two variables have the same name: {}", name);
    same.push_back(OfTable(table));
  }
  for (const SavedIterator& iterator : objects.iterators) {
    const std::string& name = iterator.handle.node->name();
    std::vector<Saveable>& same = by_name[name];
    if (!same.empty()) return InvalidArgument("At least two saved objects have the same name: {}", name);
    same.push_back(OfIterator(iterator));
  }
  for (const SavedWorkQueue& work : objects.work_queues) {
    const std::string& name = work.queue.name();
    std::vector<Saveable>& same = by_name[name];
    if (!same.empty()) return InvalidArgument("At least two saved objects have the same name: {}", name);
    same.push_back(OfWorkQueue(work));
  }
  std::vector<Saveable> result;
  for (auto& [name, saveables] : by_name)
    for (Saveable& saveable : saveables) result.push_back(std::move(saveable));
  return result;
}

struct Columns {
  Tensor names;
  Tensor slices;
  std::vector<DType> types;
  InputList values;
};
Columns ColumnsOf(const std::vector<Saveable>& saveables) {
  std::vector<std::string> names;
  std::vector<std::string> slices;
  Columns columns;
  for (const Saveable& saveable : saveables) {
    for (const Saveable::Entry& entry : saveable.entries) {
      names.push_back(entry.name);
      slices.push_back(entry.slice);
      columns.types.push_back(entry.value.base_dtype());
      columns.values.emplace_back(entry.value);
    }
  }
  columns.names = Tensor::Vector<std::string>(absl::MakeConstSpan(names));
  columns.slices = Tensor::Vector<std::string>(absl::MakeConstSpan(slices));
  return columns;
}

// Returns the file name after everything was saved.
Output AddSave(Graph& graph, Output filename, const std::vector<Saveable>& saveables, bool format_v1) {
  const Columns columns = ColumnsOf(saveables);
  Node* save = format_v1 ? SaveSlices(graph, filename, columns.names, columns.slices, columns.values, {.name = "save"})
                         : SaveV2(graph, filename, columns.names, columns.slices, columns.values);
  if (save == nullptr) return Output::Failed(graph);
  ControlDependencies after(graph, {save});
  ColocationScope with(graph, filename.node);
  return Identity(filename, {.name = "control_dependency"});
}

Node* AddRestore(Graph& graph, Output filename, const std::vector<Saveable>& saveables, const std::string& name) {
  const Columns columns = ColumnsOf(saveables);
  OutputList values;
  {
    DeviceScope on_cpu(graph, "/device:CPU:0");
    values = RestoreV2(graph, filename, columns.names, columns.slices, columns.types);
  }
  if (values.size() != columns.types.size()) return nullptr;
  std::vector<Node*> assigned;
  std::map<Node*, Node*> first;  // by variable: what is assigned before it
  for (const bool is_first : {true, false}) {
    auto next = values.begin();
    for (const Saveable& saveable : saveables) {
      const auto begin = std::exchange(next, next + static_cast<int64_t>(saveable.entries.size()));
      if (is_first != (saveable.before != nullptr)) continue;
      const auto found = first.find(saveable.variable);
      const ControlDependencies after(graph, found == first.end() ? std::vector<Node*>{} : std::vector{found->second});
      assigned.push_back(saveable.assign(graph, std::vector<Output>(begin, next)));
      if (is_first) first[saveable.before] = assigned.back();
    }
  }
  return Group(graph, assigned, name);
}

Result<std::map<std::string, std::vector<Saveable>>> ByDevice(const std::vector<Saveable>& saveables) {
  std::map<std::string, std::vector<Saveable>> result;
  for (const Saveable& saveable : saveables) {
    WEIR_ASSIGN(const DeviceName device, DeviceName::Parse(saveable.device));
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

// Each device writes its own file in a temporary directory; a final op merges them into one checkpoint.
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
    saved.push_back(AddSave(graph, file, saveables, /*format_v1=*/false).node);
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

// Each device writes its own file. The checkpoint's name is a pattern that matches them all.
Result<Output> AddShardedTables(Graph& graph, Output filename,
                                const std::map<std::string, std::vector<Saveable>>& per_device) {
  const Output count = Constant(graph, Tensor::Scalar(static_cast<int32_t>(per_device.size())), "num_shards");
  std::vector<Node*> saved;
  int32_t shard = 0;
  for (const auto& [device, saveables] : per_device) {
    DeviceScope on_device(graph, device);
    const Output file = ShardedFilename(filename, shard++, count);
    WEIR_TRY(graph.TakeError());
    saved.push_back(AddSave(graph, file, saveables, /*format_v1=*/true).node);
    WEIR_TRY(graph.TakeError());
  }
  ControlDependencies after(graph, saved);
  return ShardedFilespec(filename, count);
}

}  // namespace

std::string SliceSpec(const SaveSlice& slice) {
  std::vector<std::string> extents;
  for (size_t i = 0; i < slice.offset.size(); ++i)
    extents.push_back(fmt::format("{},{}", slice.offset[i], slice.shape[i]));
  return absl::StrJoin(slice.full_shape, " ") + " " + absl::StrJoin(extents, ":");
}

Result<SavedVariables> VariablesBySavedName(const std::vector<VariablePtr>& variables) {
  SavedVariables result;
  for (const VariablePtr& v : variables) {
    std::vector<VariablePtr>& parts = result[v->slice.has_value() ? v->slice->full_name : v->op_name()];
    const bool differ = !parts.empty() && (!v->slice.has_value() || !parts.front()->slice.has_value());
    if (differ) return InvalidArgument("At least two variables have the same name: {}", v->op_name());
    parts.push_back(v);
  }
  return result;
}

Result<tensorflow::SaverDef> BuildSaverGraph(Graph& graph, const SavedObjects& objects,
                                             const SaverGraphOptions& options, tensorflow::SaverDef def) {
  WEIR_ASSIGN(const std::vector<Saveable> saveables, Saveables(objects, options.reshape));
  NameScope scope(graph, NameOrDefault(options.name, "save"));
  const std::string default_name = options.filename.empty() ? "model" : options.filename;
  Output filename =
      PlaceholderWithDefault(graph, Tensor::Scalar(default_name), PartialShape::Scalar(), {.name = "filename"});
  filename = PlaceholderWithDefault(filename, PartialShape::Scalar(), {.name = "Const"});
  WEIR_TRY(graph.TakeError());
  Output saved;
  Node* restored = nullptr;
  if (options.sharded) {
    WEIR_ASSIGN(const auto per_device, ByDevice(saveables));
    WEIR_ASSIGN(saved, options.format_v1 ? AddShardedTables(graph, filename, per_device)
                                         : AddShardedSave(graph, filename, per_device));
    std::vector<Node*> shards;
    for (const auto& [device, part] : per_device) {
      DeviceScope on_device(graph, device);
      shards.push_back(AddRestore(graph, filename, part, "restore_shard"));
    }
    WEIR_TRY(graph.TakeError());
    restored = Group(graph, shards, "restore_all");
  } else {
    std::vector<Saveable> written = saveables;
    if (!options.object_graph.empty()) {
      const Output objects = Constant(graph, Tensor::Scalar(options.object_graph));
      written.push_back({.entries = {{kObjectGraphKey, "", objects}}, .device = "", .assign = nullptr});
    }
    saved = AddSave(graph, filename, written, options.format_v1);
    restored = AddRestore(graph, filename, saveables, "restore_all");
  }
  WEIR_TRY(graph.TakeError());
  def.set_filename_tensor_name(filename.name());
  def.set_save_tensor_name(saved.name());
  def.set_restore_op_name(restored->name());
  return def;
}

}  // namespace weir

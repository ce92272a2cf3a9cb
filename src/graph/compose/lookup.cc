#include "graph/compose/lookup.h"

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/state_ops.h"
#include "graph/build/string_ops.h"
#include "graph/compose/names.h"
#include "graph/graph_keys.h"
#include "graph/node_builder.h"
#include "graph/texts.h"
#include "tensor/tensor.h"

namespace weir {
namespace {

// Converts keys to the key type of the table.
Result<Output> KeysOf(const LookupTable& table, const Input& keys) {
  Graph& graph = table.handle.graph();
  WEIR_ASSIGN(Output values, ToOutput(graph, keys, keys.is_output() ? kInvalidType : table.key_dtype, "keys"));
  const bool hashed_int = table.num_oov_buckets > 0 && IsInteger(values.base_dtype()) && IsInteger(table.key_dtype);
  if (values.base_dtype() == table.key_dtype) return values;
  if (hashed_int) return Cast(values, table.key_dtype);
  return MarkTypeError(
      InvalidArgument("Signature mismatch. Keys must be dtype {}, got {}.", table.key_dtype, values.base_dtype()));
}

// The shape of the result: one value per key. The last dimensions of `keys` are those of a single key.
Result<PartialShape> ShapeOfValues(const LookupTable& table, const PartialShape& keys) {
  const PartialShape value = table.default_value.valid() ? table.default_value.shape() : PartialShape::Scalar();
  if (!keys.known_rank() || !value.known_rank()) return PartialShape();
  const int count = keys.rank() - table.key_shape.rank();
  if (count >= 0) {
    WEIR_ASSIGN(const PartialShape key, keys.Sub(count));
    WEIR_ASSIGN(const PartialShape outer, keys.Sub(0, count));
    if (key.CompatibleWith(table.key_shape)) return outer.Concat(value);
  }
  return InvalidArgument("Expected keys to have suffix {} but saw shape: {}", table.key_shape, keys);
}

Result<Node*> Fill(Graph& graph, Output handle, const TableContents& contents) {
  NameScope scope(graph, NameOrDefault(contents.name, "table_init"));
  Node* node = nullptr;
  if (contents.keys.valid()) {
    node = LookupTableImportV2(graph, handle, contents.keys, contents.values);
  } else {
    node = InitializeTableFromTextFileV2(graph, handle, contents.filename, contents.key_index, contents.value_index,
                                         {.vocab_size = contents.vocab_size, .delimiter = contents.delimiter});
    if (contents.filename.node->op().traits.kind == NodeKind::kConst)
      graph.collections().Add(graph_keys::kAssetFilepaths, contents.filename);
  }
  WEIR_TRY(graph.TakeError());
  return node;
}

Output SizeOf(const LookupTable& table) {
  Graph& graph = table.handle.graph();
  NameScope scope(graph, table.table_name() + "_Size");
  return LookupTableSizeV2(graph, table.handle);
}

Output FindIn(const LookupTable& table, Output keys) {
  Graph& graph = table.handle.graph();
  NameScope scope(graph, table.table_name() + (table.is_mutable ? "_lookup_table_find" : "_Lookup"));
  return LookupTableFindV2(graph, table.handle, keys, table.default_value);
}

// Maps keys that are not in the table to hash buckets, whose ids follow the values of the table.
Output FindOrHash(const LookupTable& table, Output keys) {
  const Output text = table.key_dtype == kString ? keys : AsString(keys);
  const Output buckets = StringToHashBucketFast(text, table.num_oov_buckets, {.name = "hash_bucket"});
  const Output found = FindIn(table, keys);
  const Output behind = AddV2(buckets, SizeOf(table), {.name = "Add"});
  return Select(NotEqual(found, table.default_value), found, behind);
}

}  // namespace

std::string LookupTable::table_name() const {
  const std::string& full = handle.node->name();
  return full.substr(full.rfind('/') + 1);  // npos + 1 is 0
}

Result<TableContents> TableFromLists(Graph& graph, const Input& keys, const Input& values, DType key_dtype,
                                     DType value_dtype, std::string name) {
  TableContents contents;
  contents.name = NameOrDefault(name, "key_value_init");
  WEIR_ASSIGN(contents.keys, ToOutput(graph, keys, key_dtype, "keys"));
  WEIR_ASSIGN(contents.values, ToOutput(graph, values, value_dtype, "values"));
  contents.key_dtype = contents.keys.base_dtype();
  contents.value_dtype = contents.values.base_dtype();
  return contents;
}

Result<TableContents> TableFromFile(Graph& graph, const Input& filename, TableContents file) {
  file.name = NameOrDefault(file.name, "text_file_init");
  WEIR_ASSIGN(file.filename, ToOutput(graph, filename, kString, "asset_path"));
  return file;
}

Result<LookupTable> StaticTable(Graph& graph, const TableContents& contents, const Input& default_value,
                                std::string shared_name, std::string name) {
  LookupTable table;
  table.key_dtype = contents.key_dtype;
  table.value_dtype = contents.value_dtype;
  WEIR_ASSIGN(table.default_value, ToOutput(graph, default_value, contents.value_dtype, "Const"));
  if (!table.default_value.shape().CompatibleWith(PartialShape::Scalar()))
    return InvalidArgument("Shapes {} and () are not compatible", PythonText(table.default_value.shape()));
  table.handle = HashTableV2(graph, table.key_dtype, table.value_dtype,
                             {.shared_name = shared_name,
                              .use_node_name_sharing = shared_name.empty(),
                              .name = NameOrDefault(name, "hash_table")});
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(table.initializer, Fill(graph, table.handle, contents));
  graph.collections().Add(graph_keys::kTableInitializers, table.initializer);
  return table;
}

Result<LookupTable> MutableTable(Graph& graph, DType key_dtype, DType value_dtype, const Input& default_value,
                                 const MutableTableOptions& options) {
  LookupTable table;
  table.key_dtype = key_dtype;
  table.value_dtype = value_dtype;
  table.is_mutable = true;
  const std::string default_name = options.empty_key.absent() ? "Const" : "default_value";
  WEIR_ASSIGN(table.default_value, ToOutput(graph, default_value, value_dtype, default_name));
  const PartialShape value_shape = table.default_value.shape();
  const bool shared = !options.shared_name.empty();
  if (!options.empty_key.absent()) {
    WEIR_ASSIGN(Output empty, ToOutput(graph, options.empty_key, key_dtype, "empty_key"));
    if (empty.shape().known_rank()) table.key_shape = empty.shape();
    WEIR_ASSIGN(Output deleted, ToOutput(graph, options.deleted_key, key_dtype, "deleted_key"));
    table.handle = MutableDenseHashTableV2(graph, empty, deleted, value_dtype,
                                           {.shared_name = options.shared_name,
                                            .use_node_name_sharing = !shared,
                                            .value_shape = value_shape,
                                            .initial_num_buckets = options.initial_num_buckets,
                                            .name = NameOrDefault(options.name, "MutableDenseHashTable")});
  } else if (value_shape.known_rank() && value_shape.rank() > 0) {
    table.handle = MutableHashTableOfTensorsV2(graph, key_dtype, value_dtype,
                                               {.shared_name = options.shared_name,
                                                .use_node_name_sharing = !shared,
                                                .value_shape = value_shape,
                                                .name = NameOrDefault(options.name, "MutableHashTable")});
  } else {
    table.handle = MutableHashTableV2(graph, key_dtype, value_dtype,
                                      {.shared_name = options.shared_name,
                                       .use_node_name_sharing = !shared,
                                       .name = NameOrDefault(options.name, "MutableHashTable")});
  }
  WEIR_TRY(graph.TakeError());
  if (options.checkpoint) {
    WEIR_ASSIGN(const std::vector<Output> all, ExportTable(table));
    graph.collections().Add(graph_keys::kSaveableObjects, SavedTable{table, all[0], all[1]});
  }
  return table;
}

Result<Output> LookUp(const LookupTable& table, const Input& keys, std::string name) {
  Graph& graph = table.handle.graph();
  WEIR_ASSIGN(Output given, KeysOf(table, keys));
  Output found;
  if (table.num_oov_buckets > 0) {
    NameScope scope(graph, NameOrDefault(name, table.name() + "_Lookup"));
    found = FindOrHash(table, given);
  } else if (name.empty()) {
    found = FindIn(table, given);
  } else {
    NameScope scope(graph, name);
    found = LookupTableFindV2(graph, table.handle, given, table.default_value);
  }
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(const PartialShape shape, ShapeOfValues(table, given.shape()));
  WEIR_TRY(graph.SetShape(found, shape));
  return found;
}

Result<Output> TableSize(const LookupTable& table, std::string name) {
  Graph& graph = table.handle.graph();
  NameScope scope(graph, NameOrDefault(name, table.name() + "_Size"));
  const Output size =
      table.num_oov_buckets > 0 ? SizeOf(table) + table.num_oov_buckets : LookupTableSizeV2(graph, table.handle);
  WEIR_TRY(graph.TakeError());
  return size;
}

Result<std::vector<Output>> ExportTable(const LookupTable& table, std::string name) {
  Graph& graph = table.handle.graph();
  const std::string fallback = table.name() + (table.is_mutable ? "_lookup_table_export_values" : "_Export");
  NameScope scope(graph, NameOrDefault(name, fallback));
  const LookupTableExportV2Result all = LookupTableExportV2(graph, table.handle, table.key_dtype, table.value_dtype);
  WEIR_TRY(graph.TakeError());
  return std::vector<Output>{all.keys, all.values};
}

Result<Node*> InsertIntoTable(const LookupTable& table, const Input& keys, const Input& values, std::string name) {
  Graph& graph = table.handle.graph();
  NameScope scope(graph, NameOrDefault(name, table.name() + "_lookup_table_insert"));
  WEIR_ASSIGN(Output given, KeysOf(table, keys));
  WEIR_ASSIGN(Output new_values, ToOutput(graph, values, table.value_dtype, "values"));
  Node* node = LookupTableInsertV2(graph, table.handle, given, new_values);
  WEIR_TRY(graph.TakeError());
  return node;
}

Result<Node*> RemoveFromTable(const LookupTable& table, const Input& keys, std::string name) {
  Graph& graph = table.handle.graph();
  NameScope scope(graph, NameOrDefault(name, table.name() + "_lookup_table_remove"));
  WEIR_ASSIGN(Output given, KeysOf(table, keys));
  Node* node = LookupTableRemoveV2(graph, table.handle, given);
  WEIR_TRY(graph.TakeError());
  return node;
}

Result<Node*> InitializeTables(Graph& graph, std::string name) {
  NodeBuilder builder(graph, "NoOp", NameOrDefault(name, "init_all_tables"));
  for (Node* node : graph.collections().Of<Node*>(graph_keys::kTableInitializers)) builder.ControlInput(node);
  return builder.Build();
}

}  // namespace weir

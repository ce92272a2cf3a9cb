#include "graph/compose/lookup.h"

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/state_ops.h"
#include "graph/build/string_ops.h"
#include "graph/compose/names.h"
#include "graph/graph_keys.h"
#include "graph/node_builder.h"
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
  NameScope scope(graph,
                  NameOrDefault(contents.name, contents.filename.absent() ? "key_value_init" : "text_file_init"));
  Node* node = nullptr;
  if (contents.filename.absent()) {
    node = InitializeTableV2(graph, handle, contents.keys, contents.values);
  } else {
    WEIR_ASSIGN(Output filename, ToOutput(graph, contents.filename, kString, "asset_filepath"));
    graph.collections().Add(graph_keys::kAssetFilepaths, filename);
    node = InitializeTableFromTextFileV2(graph, handle, filename, contents.key_index, contents.value_index,
                                         {.vocab_size = contents.vocab_size, .delimiter = contents.delimiter});
  }
  WEIR_TRY(graph.TakeError());
  return node;
}

}  // namespace

Result<TableContents> TableFromLists(Graph& graph, const Input& keys, const Input& values, DType key_dtype,
                                     DType value_dtype, std::string name) {
  TableContents contents;
  contents.name = NameOrDefault(name, "key_value_init");
  NameScope scope(graph, contents.name);
  WEIR_ASSIGN(contents.keys, ToOutput(graph, keys, key_dtype, "keys"));
  WEIR_ASSIGN(contents.values, ToOutput(graph, values, value_dtype, "values"));
  contents.key_dtype = contents.keys.base_dtype();
  contents.value_dtype = contents.values.base_dtype();
  return contents;
}

Result<LookupTable> StaticTable(Graph& graph, const TableContents& contents, const Input& default_value,
                                std::string shared_name, std::string name) {
  LookupTable table;
  table.key_dtype = contents.key_dtype;
  table.value_dtype = contents.value_dtype;
  NameScope scope(graph, NameOrDefault(name, "hash_table"));
  WEIR_ASSIGN(table.default_value, ToOutput(graph, default_value, contents.value_dtype, "Const"));
  table.handle = HashTableV2(
      graph, table.key_dtype, table.value_dtype,
      {.shared_name = shared_name, .use_node_name_sharing = shared_name.empty(), .name = ExactScopeName(scope)});
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
  WEIR_ASSIGN(table.default_value, ToOutput(graph, default_value, value_dtype, "default_value"));
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
  NameScope scope(graph, NameOrDefault(name, table.name() + (table.is_mutable ? "_lookup_table_find" : "_Lookup")));
  WEIR_ASSIGN(Output given, KeysOf(table, keys));
  Output found = LookupTableFindV2(graph, table.handle, given, table.default_value);
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(const PartialShape shape, ShapeOfValues(table, given.shape()));
  WEIR_TRY(graph.SetShape(found, shape));
  if (table.num_oov_buckets > 0) {
    const Output text = table.key_dtype == kString ? given : AsString(given);
    const Output buckets = StringToHashBucketFast(text, table.num_oov_buckets, {.name = "hash_bucket"});
    const Output behind = buckets + LookupTableSizeV2(graph, table.handle);
    found = Select(NotEqual(found, table.default_value), found, behind);
  }
  WEIR_TRY(graph.TakeError());
  return found;
}

Result<Output> TableSize(const LookupTable& table, std::string name) {
  Graph& graph = table.handle.graph();
  NameScope scope(graph, NameOrDefault(name, table.name() + "_Size"));
  Output size = LookupTableSizeV2(graph, table.handle);
  if (table.num_oov_buckets > 0) size = Add(size, Tensor::Scalar(table.num_oov_buckets));
  WEIR_TRY(graph.TakeError());
  return size;
}

Result<std::vector<Output>> ExportTable(const LookupTable& table, std::string name) {
  Graph& graph = table.handle.graph();
  NameScope scope(graph, NameOrDefault(name, table.name() + "_lookup_table_export_values"));
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

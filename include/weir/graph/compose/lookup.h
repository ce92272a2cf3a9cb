// Lookup tables: creation, initialization and queries. Initializers are added to the graph's TABLE_INITIALIZERS
// collection. Errors are returned as a Status.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "weir/graph/graph.h"
#include "weir/graph/input.h"

namespace weir {

// The contents of a table: two lists, or columns of a file.
struct TableContents {
  DType key_dtype = kInvalidType;
  DType value_dtype = kInvalidType;
  // Lists...
  Output keys;
  Output values;
  // ... or a file. Columns count from 0; kWholeLine is the line and kLineNumber its number.
  Output filename;
  int64_t key_index = 0;
  int64_t value_index = 0;
  int64_t vocab_size = -1;
  std::string delimiter = "\t";
  std::string name = "";

  static constexpr int64_t kWholeLine = -2;
  static constexpr int64_t kLineNumber = -1;
};
// Types may be omitted if the lists have one.
Result<TableContents> TableFromLists(Graph& graph, const Input& keys, const Input& values,
                                     DType key_dtype = kInvalidType, DType value_dtype = kInvalidType,
                                     std::string name = "");

// `file` has all fields except `filename`.
Result<TableContents> TableFromFile(Graph& graph, const Input& filename, TableContents file);

struct LookupTable {
  Output handle;
  DType key_dtype = kInvalidType;
  DType value_dtype = kInvalidType;
  Output default_value;
  Node* initializer = nullptr;  // null for tables filled by insert
  bool is_mutable = false;
  PartialShape key_shape = PartialShape::Scalar();
  // Number of buckets for out-of-vocabulary keys. Their ids follow the table's own values.
  int64_t num_oov_buckets = 0;
  std::string name_with_buckets = "";  // the name of a table with such buckets; empty: the name of the table

  // The last part of the name of the node.
  std::string table_name() const;
  // The name for scopes of nodes that use the table.
  std::string name() const { return name_with_buckets.empty() ? table_name() : name_with_buckets; }
};

Result<LookupTable> StaticTable(Graph& graph, const TableContents& contents, const Input& default_value,
                                std::string shared_name = "", std::string name = "");
struct MutableTableOptions {
  std::string shared_name = "";
  std::string name = "";
  // Dense tables only.
  Input empty_key = {};  // absent: not a dense table
  Input deleted_key = {};
  int64_t initial_num_buckets = 131072;
  bool checkpoint = true;  // savers of the graph include the table
};
// The entry of a table in the collection kSaveableObjects: its contents, as a saver writes them.
struct SavedTable {
  LookupTable table;
  Output keys;
  Output values;
};
Result<LookupTable> MutableTable(Graph& graph, DType key_dtype, DType value_dtype, const Input& default_value,
                                 const MutableTableOptions& options = {});

Result<Output> LookUp(const LookupTable& table, const Input& keys, std::string name = "");
Result<Output> TableSize(const LookupTable& table, std::string name = "");
Result<std::vector<Output>> ExportTable(const LookupTable& table, std::string name = "");  // keys, values
Result<Node*> InsertIntoTable(const LookupTable& table, const Input& keys, const Input& values, std::string name = "");
Result<Node*> RemoveFromTable(const LookupTable& table, const Input& keys, std::string name = "");

// A node that initializes all tables of the graph.
Result<Node*> InitializeTables(Graph& graph, std::string name = "init_all_tables");

}  // namespace weir

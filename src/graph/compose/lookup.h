// Lookup tables in a graph: made, filled by an initializer that the graph's TABLE_INITIALIZERS collection keeps, and
// asked. Errors come as a Status.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/input.h"

namespace weir {

// What fills a table: two lists, or the columns of a file.
struct TableContents {
  DType key_dtype = kInvalidType;
  DType value_dtype = kInvalidType;
  // lists
  Output keys;
  Output values;
  // or a file: columns count from 0, kWholeLine is the line and kLineNumber its number
  Input filename = {};
  int64_t key_index = 0;
  int64_t value_index = 0;
  int64_t vocab_size = -1;
  std::string delimiter = "\t";
  std::string name = "";

  static constexpr int64_t kWholeLine = -2;
  static constexpr int64_t kLineNumber = -1;
};
// Types may be left out where the lists have one.
Result<TableContents> TableFromLists(Graph& graph, const Input& keys, const Input& values,
                                     DType key_dtype = kInvalidType, DType value_dtype = kInvalidType,
                                     std::string name = "");

struct LookupTable {
  Output handle;
  DType key_dtype = kInvalidType;
  DType value_dtype = kInvalidType;
  Output default_value;
  Node* initializer = nullptr;  // none for tables that are filled by insert
  bool is_mutable = false;
  PartialShape key_shape = PartialShape::Scalar();
  // Keys that the table does not have go to one of so many buckets behind its own values.
  int64_t num_oov_buckets = 0;

  const std::string& name() const { return handle.node->name(); }
};

Result<LookupTable> StaticTable(Graph& graph, const TableContents& contents, const Input& default_value,
                                std::string shared_name = "", std::string name = "");
struct MutableTableOptions {
  std::string shared_name = "";
  std::string name = "";
  // dense tables
  Input empty_key = {};  // absent: an ordinary table
  Input deleted_key = {};
  int64_t initial_num_buckets = 131072;
  bool checkpoint = true;  // savers of the graph save it
};
// What the collection kSaveableObjects has for a table: its contents, as a saver saves them.
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

// Fills all tables of the graph.
Result<Node*> InitializeTables(Graph& graph, std::string name = "init_all_tables");

}  // namespace weir

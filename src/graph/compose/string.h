// Functions of strings made of several nodes, or with checks of their own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/input.h"

namespace weir {

// A node whose outputs are the indices, values and shape of a sparse matrix with the pieces of each string in a row.
Node* SplitAtAny(Graph& graph, const Input& text, const Input& delimiters, bool skip_empty = true,
                 std::string name = "");
Node* SplitAt(Graph& graph, const Input& text, const Input& separator, int64_t max_splits = -1, std::string name = "");
// Joins along the axes, in their order; axis absent: all, the last first, so that the strings keep theirs.
Output JoinStrings(Graph& graph, const Input& x, const Input& axis = {}, bool keep_dims = false,
                   const std::string& separator = "", std::string name = "");

struct CsvOptions {
  std::string field_delimiter = ",";
  bool use_quotes = true;
  std::string missing_value = "";
  std::optional<std::vector<int64_t>> columns = {};  // that are wanted, increasing; absent: all
  std::string name = "";
};
Result<OutputList> DecodeCsvRecords(Graph& graph, const Input& records, const InputList& defaults,
                                    const CsvOptions& options = {});

}  // namespace weir

// String functions that consist of several nodes or have additional checks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "weir/graph/graph.h"
#include "weir/graph/input.h"

namespace weir {

// A node with the indices, values and shape of a sparse matrix; row i has the parts of string i.
Node* SplitAtAny(Graph& graph, const Input& text, const Input& delimiters, bool skip_empty = true,
                 std::string name = "");
Node* SplitAt(Graph& graph, const Input& text, const Input& separator, int64_t max_splits = -1, std::string name = "");
// Joins along the axes, in that order. Without `axis`, joins along all axes, the last one first, which keeps the order
// of the strings.
Output JoinStrings(Graph& graph, const Input& x, const Input& axis = {}, bool keep_dims = false,
                   const std::string& separator = "", std::string name = "");

struct CsvOptions {
  std::string field_delimiter = ",";
  bool use_quotes = true;
  std::string missing_value = "";
  std::optional<std::vector<int64_t>> columns = {};  // indices of the columns to return, increasing; absent: all
  std::string name = "";
};
Result<OutputList> DecodeCsvRecords(Graph& graph, const Input& records, const InputList& defaults,
                                    const CsvOptions& options = {});

}  // namespace weir

// Ragged tensors: rows of different lengths, as values and row splits (row i holds the values [splits[i],
// splits[i + 1])). Several splits, outermost first, make several ragged dimensions.
#pragma once

#include <string>
#include <vector>

#include "weir/graph/graph.h"
#include "weir/graph/input.h"

namespace weir {

// --- row partitions. The splits have the type of the input; literals become int64.
Output RowSplitsFromLengths(Graph& graph, const Input& lengths, std::string name = "");
// `ids` must not decrease. Without `rows`, the number of rows is the last id plus 1.
Output RowSplitsFromRowIds(Graph& graph, const Input& ids, const Input& rows = {}, std::string name = "");
Output RowSplitsFromStarts(Graph& graph, const Input& starts, const Input& value_count, std::string name = "");
Output RowSplitsFromLimits(Graph& graph, const Input& limits, std::string name = "");
// The row of each value.
Output RowIdsOf(Graph& graph, const Input& splits, std::string name = "");
Output RowLengthsOf(Graph& graph, const Input& splits, std::string name = "");

struct RaggedRows {
  Output values;
  Output splits;
};
// The rows of a dense tensor of rank 2 or more. With `lengths` row i keeps its first lengths[i] values; with `padding`
// it loses the paddings at its end; with neither it keeps all values.
RaggedRows RaggedFromTensor(Graph& graph, const Input& tensor, const Input& lengths = {}, const Input& padding = {},
                            DType splits_type = kInt64, std::string name = "");
// Rows of all parts, one part after the other.
RaggedRows ConcatRaggedRows(Graph& graph, const std::vector<RaggedRows>& parts, std::string name = "");
// The values of a row and its matches in the other parts, joined to one row. The parts have equally many rows.
RaggedRows JoinRaggedRows(Graph& graph, const std::vector<RaggedRows>& parts, std::string name = "");

// Reduces each row (`rows` true), or position j of all rows. `op` is the name of an unsorted segment op, such as
// "UnsortedSegmentSum", or "Mean".
Output ReduceRagged(Graph& graph, const std::string& op, const RaggedRows& rows, bool over_rows, std::string name = "");
// A dense tensor, with `filler` after the ends of the rows. Absent: zeros or empty strings.
Output RaggedToDense(Graph& graph, const Input& values, const OutputList& nested_splits, const Input& filler = {},
                     const Input& shape = {}, std::string name = "");

}  // namespace weir

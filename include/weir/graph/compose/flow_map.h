// map, scan and folds over the rows of tensors, as while loops over TensorArrays. All tensors of `elems` must have the
// same number of rows; the function gets one row of each.
#pragma once

#include "weir/graph/compose/flow.h"

namespace weir {

using RowFn = std::function<Result<OutputList>(const OutputList& rows)>;
using FoldFn = std::function<Result<OutputList>(const OutputList& state, const OutputList& rows)>;

struct MapOptions {
  std::vector<DType> dtypes = {};  // types of the function's results; empty: those of elems
  int parallel_iterations = 10;
  bool back_prop = true;
  bool swap_memory = false;
  bool infer_shape = true;
  bool reverse = false;  // Scan: from the last row to the first
  std::string name = "";
};

// Stacks the results of fn for each row.
Result<OutputList> MapFn(Graph& graph, const RowFn& fn, const InputList& elems, const MapOptions& options = {});
// Stacks all states state[i] = fn(state[i - 1], rows[i]). Without an initial state, the first row is used.
Result<OutputList> Scan(Graph& graph, const FoldFn& fn, const InputList& elems, const InputList& initial = {},
                        const MapOptions& options = {});
// The last state; Foldl goes from the first row to the last, Foldr from the last to the first.
Result<OutputList> Foldl(Graph& graph, const FoldFn& fn, const InputList& elems, const InputList& initial = {},
                         const MapOptions& options = {});
Result<OutputList> Foldr(Graph& graph, const FoldFn& fn, const InputList& elems, const InputList& initial = {},
                         const MapOptions& options = {});

}  // namespace weir

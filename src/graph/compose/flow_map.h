// Functions applied to the rows of tensors, one after the other: map, scan and folds, as while loops over TensorArrays.
// All tensors of `elems` have as many rows; the function gets one row of each.
#pragma once

#include "graph/compose/flow.h"

namespace weir {

using RowFn = std::function<Result<OutputList>(const OutputList& rows)>;
using FoldFn = std::function<Result<OutputList>(const OutputList& state, const OutputList& rows)>;

struct MapOptions {
  std::vector<DType> dtypes = {};  // of what the function gives; empty: as elems
  int parallel_iterations = 10;
  bool back_prop = true;
  bool swap_memory = false;
  bool infer_shape = true;
  bool reverse = false;  // Scan: from the last row to the first
  std::string name = "";
};

// What fn gives for each row, stacked.
Result<OutputList> MapFn(Graph& graph, const RowFn& fn, const InputList& elems, const MapOptions& options = {});
// All states state[i] = fn(state[i - 1], rows[i]), stacked. Without an initial state, the first row is it.
Result<OutputList> Scan(Graph& graph, const FoldFn& fn, const InputList& elems, const InputList& initial = {},
                        const MapOptions& options = {});
// The last state, from the first row to the last, and the other way round.
Result<OutputList> Foldl(Graph& graph, const FoldFn& fn, const InputList& elems, const InputList& initial = {},
                         const MapOptions& options = {});
Result<OutputList> Foldr(Graph& graph, const FoldFn& fn, const InputList& elems, const InputList& initial = {},
                         const MapOptions& options = {});

}  // namespace weir

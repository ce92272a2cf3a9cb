// Sorting and searching along an axis.
#include <numeric>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/compose/array.h"
#include "graph/compose/dims.h"
#include "graph/compose/names.h"

namespace weir {
namespace {

// TopKV2 sorts descending along the last axis. Other axes are transposed there; ascending order sorts -x.
Output SortedBy(Graph& graph, const Input& input, int64_t axis, bool descending, bool positions) {
  Output x = ValueOf(graph, input, kInvalidType, "values");
  if (!x.valid()) return x;
  const int rank = x.shape().rank();
  std::vector<int64_t> order;
  if (axis != -1) {
    if (rank < 0) return FailedOutput(graph, InvalidArgument("sorting along axis {} needs a known rank", axis));
    Result<int> at = NormalAxis(axis, rank, "sort");
    if (!at.ok()) return FailedOutput(graph, at.status());
    if (*at != rank - 1) {
      order.resize(rank);
      std::iota(order.begin(), order.end(), 0);
      std::swap(order[*at], order[rank - 1]);
      x = Transpose(x, order);
    }
  }
  Output size = StridedSlice(ShapeOf(x), {-1}, {0}, {1}, {.end_mask = 1, .shrink_axis_mask = 1});
  const bool flip = IsInteger(x.base_dtype());  // -x overflows for the lowest integer, ~x does not
  Output keys = descending ? x : flip ? Output(Invert(x)) : Output(Neg(x));
  auto top = TopKV2(graph, keys, size);
  Output y = positions ? top.indices : top.values;
  if (!positions && !descending && y.valid()) y = flip ? Output(Invert(y)) : Output(Neg(y));
  return order.empty() || !y.valid() ? y : Output(Transpose(y, order));
}

}  // namespace

Output ArgSort(Graph& graph, const Input& values, int64_t axis, bool descending, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "argsort"));
  return SortedBy(graph, values, axis, descending, true);
}
Output Sorted(Graph& graph, const Input& values, int64_t axis, bool descending, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "sort"));
  return SortedBy(graph, values, axis, descending, false);
}

Output SearchSorted(Graph& graph, const Input& sorted_in, const Input& values_in, bool after_equal, DType out_type,
                    std::string name) {
  auto [sorted, values] = ValuesOfOneType(graph, sorted_in, values_in, "sorted_sequence", "values");
  if (!sorted.valid() || !values.valid()) return Output::Failed(graph);
  const auto rows = [&](Output x) {
    Output size = StridedSlice(ShapeOf(x), {-1}, {0}, {1}, {.end_mask = 1});
    return Reshape(x, ConcatV2(graph, {Tensor::Vector<int32_t>({-1}), size}, 0));
  };
  Output found = after_equal
                     ? Output(UpperBound(graph, rows(sorted), rows(values), {.out_type = out_type, .name = name}))
                     : Output(LowerBound(graph, rows(sorted), rows(values), {.out_type = out_type, .name = name}));
  return Reshape(found, ShapeOf(values));
}

}  // namespace weir

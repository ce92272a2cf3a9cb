#include "graph/compose/flow_map.h"

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/compose/names.h"
#include "graph/compose/tensor_array.h"
#include "op/shape_context.h"

namespace weir {
namespace {

// The rows of several tensors as TensorArrays.
struct Rows {
  std::vector<TensorArray> arrays;
  Output count;
  int64_t static_count = kUnknownDim;

  OutputList At(Output index) const {
    OutputList values;
    for (const TensorArray& array : arrays) values.push_back(array.Read(index));
    return values;
  }
};

Result<Rows> RowsOf(Graph& graph, const InputList& elems) {
  if (elems.empty()) return InvalidArgument("elems must not be empty");
  OutputList values;
  Rows rows;
  for (const Input& elem : elems) {
    WEIR_ASSIGN(Output value, ToOutput(graph, elem, kInvalidType, "elems"));
    if (value.shape().known_rank() && value.shape().rank() == 0)
      return InvalidArgument("elements in elems must be 1+ dimensional Tensors, not scalars: '{}'", value.name());
    const int64_t count = value.shape().known_rank() ? value.shape()[0] : kUnknownDim;
    WEIR_ASSIGN(rows.static_count, MergeDims(rows.static_count, count));
    values.push_back(value);
  }
  rows.count = rows.static_count >= 0 && rows.static_count <= INT32_MAX
                   ? Constant(graph, Tensor::Scalar(static_cast<int32_t>(rows.static_count)))
                   : StridedSlice(ShapeOf(values[0]), {0}, {1}, {1}, {.shrink_axis_mask = 1, .name = "strided_slice"});
  for (const Output& value : values)
    rows.arrays.push_back(TensorArray(graph, value.base_dtype(), rows.count).Unstack(value));
  WEIR_TRY(graph.TakeError());
  return rows;
}

WhileOptions LoopOptions(const MapOptions& options, Output count) {
  return {.parallel_iterations = options.parallel_iterations,
          .back_prop = options.back_prop,
          .swap_memory = options.swap_memory,
          .maximum_iterations = count};
}

Result<OutputList> StackAll(Graph& graph, const std::vector<TensorArray>& arrays, const OutputList& flows,
                            int64_t count) {
  OutputList stacked;
  for (size_t i = 0; i < arrays.size(); ++i) {
    Output value = arrays[i].WithFlow(flows[i]).Stack();
    WEIR_TRY(graph.TakeError());
    if (value.shape().known_rank()) {
      PartialShape shape = value.shape();
      shape.SetDim(0, count);
      WEIR_TRY(graph.SetShape(value, shape));
    }
    stacked.push_back(value);
  }
  return stacked;
}

Result<OutputList> InitialState(Graph& graph, const InputList& initial, const Rows& rows, Output first) {
  OutputList state;
  for (const Input& value : initial) {
    WEIR_ASSIGN(Output converted, ToOutput(graph, value));
    state.push_back(converted);
  }
  if (initial.empty()) state = rows.At(first);
  WEIR_TRY(graph.TakeError());
  return state;
}

Status CheckState(const OutputList& state, const OutputList& next) {
  if (state.size() != next.size())
    return InvalidArgument("the function returned {} values, but the state has {}", next.size(), state.size());
  return OkStatus();
}

Output IndexOf(Graph& graph, int32_t value) { return Constant(graph, Tensor::Scalar(value)); }

Result<OutputList> Fold(Graph& graph, const FoldFn& fn, const InputList& elems, const InputList& initial,
                        const MapOptions& options, bool backwards, const char* name) {
  NameScope scope(graph, NameOrDefault(options.name, name));
  WEIR_ASSIGN(Rows rows, RowsOf(graph, elems));
  const bool takes_first = initial.empty();
  // The next row is i going forwards and i - 1 going backwards.
  Output start = backwards ? rows.count : IndexOf(graph, takes_first ? 1 : 0);
  if (backwards && takes_first) start = Sub(rows.count, 1, {.name = "sub"});
  WEIR_ASSIGN(OutputList state, InitialState(graph, initial, rows, backwards ? start : IndexOf(graph, 0)));
  InputList variables = {start};
  variables.insert(variables.end(), state.begin(), state.end());
  WEIR_ASSIGN(OutputList out, WhileLoop(
                                  graph,
                                  [&](const OutputList& v) -> Result<Output> {
                                    return backwards ? Greater(v[0], 0) : Less(v[0], rows.count);
                                  },
                                  [&](const OutputList& v) -> Result<OutputList> {
                                    const Output lower = backwards ? v[0] - 1 : Output();
                                    const OutputList now(v.begin() + 1, v.end());
                                    WEIR_ASSIGN(OutputList next, fn(now, rows.At(backwards ? lower : v[0])));
                                    WEIR_TRY(CheckState(now, next));
                                    next.insert(next.begin(), backwards ? lower : v[0] + 1);
                                    return next;
                                  },
                                  variables, LoopOptions(options, rows.count)));
  out.erase(out.begin());
  return out;
}

}  // namespace

Result<OutputList> MapFn(Graph& graph, const RowFn& fn, const InputList& elems, const MapOptions& options) {
  NameScope scope(graph, NameOrDefault(options.name, "map"));
  WEIR_ASSIGN(Rows rows, RowsOf(graph, elems));
  std::vector<DType> dtypes = options.dtypes;
  if (dtypes.empty())
    for (const TensorArray& array : rows.arrays) dtypes.push_back(array.dtype());
  InputList variables = {IndexOf(graph, 0)};
  std::vector<TensorArray> results;
  for (const DType dtype : dtypes) {
    results.emplace_back(graph, dtype, rows.count, TensorArray::Options{.infer_shape = options.infer_shape});
    variables.push_back(results.back().flow());
  }
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(OutputList out, WhileLoop(
                                  graph, [&](const OutputList& v) -> Result<Output> { return Less(v[0], rows.count); },
                                  [&](const OutputList& v) -> Result<OutputList> {
                                    WEIR_ASSIGN(OutputList values, fn(rows.At(v[0])));
                                    if (values.size() != results.size())
                                      return InvalidArgument("the function returned {} values, but dtype has {}",
                                                             values.size(), results.size());
                                    OutputList next;
                                    for (size_t i = 0; i < values.size(); ++i)
                                      next.push_back(results[i].WithFlow(v[i + 1]).Write(v[0], values[i]).flow());
                                    next.insert(next.begin(), v[0] + 1);
                                    return next;
                                  },
                                  variables, LoopOptions(options, rows.count)));
  return StackAll(graph, results, OutputList(out.begin() + 1, out.end()), rows.static_count);
}

Result<OutputList> Scan(Graph& graph, const FoldFn& fn, const InputList& elems, const InputList& initial,
                        const MapOptions& options) {
  NameScope scope(graph, NameOrDefault(options.name, "scan"));
  WEIR_ASSIGN(Rows rows, RowsOf(graph, elems));
  const bool takes_first = initial.empty();
  const Output last = options.reverse ? Sub(rows.count, 1, {.name = "sub"}) : Output();
  const Output first = options.reverse ? last : IndexOf(graph, 0);
  WEIR_ASSIGN(OutputList state, InitialState(graph, initial, rows, first));
  Output start = first;
  if (takes_first) start = options.reverse ? Sub(last, 1, {.name = "sub"}) : IndexOf(graph, 1);
  InputList variables = {start};
  variables.insert(variables.end(), state.begin(), state.end());
  std::vector<TensorArray> results;
  for (const Output& value : state) {
    TensorArray array(
        graph, value.base_dtype(), rows.count,
        {.element_shape = options.infer_shape ? value.shape() : PartialShape(), .infer_shape = options.infer_shape});
    results.push_back(takes_first ? array.Write(first, value) : array);
    variables.push_back(results.back().flow());
  }
  WEIR_TRY(graph.TakeError());
  const size_t count = state.size();
  WEIR_ASSIGN(OutputList out, WhileLoop(
                                  graph,
                                  [&](const OutputList& v) -> Result<Output> {
                                    return options.reverse ? GreaterEqual(v[0], 0) : Less(v[0], rows.count);
                                  },
                                  [&](const OutputList& v) -> Result<OutputList> {
                                    const OutputList now(v.begin() + 1, v.begin() + 1 + static_cast<int64_t>(count));
                                    WEIR_ASSIGN(OutputList next, fn(now, rows.At(v[0])));
                                    WEIR_TRY(CheckState(now, next));
                                    for (size_t i = 0; i < count; ++i)
                                      next.push_back(results[i].WithFlow(v[1 + count + i]).Write(v[0], next[i]).flow());
                                    next.insert(next.begin(), options.reverse ? v[0] - 1 : v[0] + 1);
                                    return next;
                                  },
                                  variables, LoopOptions(options, rows.count)));
  return StackAll(graph, results, OutputList(out.begin() + 1 + static_cast<int64_t>(count), out.end()),
                  rows.static_count);
}

Result<OutputList> Foldl(Graph& graph, const FoldFn& fn, const InputList& elems, const InputList& initial,
                         const MapOptions& options) {
  return Fold(graph, fn, elems, initial, options, /*backwards=*/false, "foldl");
}

Result<OutputList> Foldr(Graph& graph, const FoldFn& fn, const InputList& elems, const InputList& initial,
                         const MapOptions& options) {
  return Fold(graph, fn, elems, initial, options, /*backwards=*/true, "foldr");
}

}  // namespace weir

#include "graph/build/reduce.h"

#include <numeric>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"

namespace weir {

Input AxesInput(Output x, const Axes& axes) {
  if (!axes.all()) return Input(axes.axes());
  const PartialShape shape = x.shape();
  if (!shape.known_rank()) return Range(0, Rank(x), 1);
  std::vector<int64_t> every(shape.rank());
  std::iota(every.begin(), every.end(), 0);
  return Input(every);
}

Output ReduceSum(Output x, const Axes& axes, bool keep_dims) {
  return x.valid() ? Sum(x, AxesInput(x, axes), {.keep_dims = keep_dims}) : x;
}
Output ReduceMean(Output x, const Axes& axes, bool keep_dims) {
  return x.valid() ? Mean(x, AxesInput(x, axes), {.keep_dims = keep_dims}) : x;
}
Output ReduceProd(Output x, const Axes& axes, bool keep_dims) {
  return x.valid() ? Prod(x, AxesInput(x, axes), {.keep_dims = keep_dims}) : x;
}
Output ReduceMax(Output x, const Axes& axes, bool keep_dims) {
  return x.valid() ? Max(x, AxesInput(x, axes), {.keep_dims = keep_dims}) : x;
}
Output ReduceMin(Output x, const Axes& axes, bool keep_dims) {
  return x.valid() ? Min(x, AxesInput(x, axes), {.keep_dims = keep_dims}) : x;
}
Output ReduceAll(Output x, const Axes& axes, bool keep_dims) {
  return x.valid() ? All(x, AxesInput(x, axes), {.keep_dims = keep_dims}) : x;
}
Output ReduceAny(Output x, const Axes& axes, bool keep_dims) {
  return x.valid() ? Any(x, AxesInput(x, axes), {.keep_dims = keep_dims}) : x;
}

}  // namespace weir

#include "graph/build/reduce.h"

#include <numeric>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/graph.h"

namespace weir {

Input AxesInput(Output x, const Axes& axes) {
  if (!axes.all()) return Input(axes.axes());
  const PartialShape shape = x.shape();
  if (!shape.known_rank()) return Range(0, Rank(x), 1);
  std::vector<int64_t> every(shape.rank());
  std::iota(every.begin(), every.end(), 0);
  return Input(every);
}

// A reduction over all axes gives a scalar, even if the rank of x is unknown.
static Output Reduced(Output y, const Axes& axes, bool keep_dims) {
  if (y.valid() && axes.all() && !keep_dims && !y.shape().known_rank())
    y.graph().RecordError(y.graph().SetShape(y, PartialShape::Scalar()));
  return y;
}

Output ReduceSum(Output x, const Axes& axes, bool keep_dims) {
  return x.valid() ? Reduced(Sum(x, AxesInput(x, axes), {.keep_dims = keep_dims}), axes, keep_dims) : x;
}
Output ReduceMean(Output x, const Axes& axes, bool keep_dims) {
  return x.valid() ? Reduced(Mean(x, AxesInput(x, axes), {.keep_dims = keep_dims}), axes, keep_dims) : x;
}
Output ReduceProd(Output x, const Axes& axes, bool keep_dims) {
  return x.valid() ? Reduced(Prod(x, AxesInput(x, axes), {.keep_dims = keep_dims}), axes, keep_dims) : x;
}
Output ReduceMax(Output x, const Axes& axes, bool keep_dims) {
  return x.valid() ? Reduced(Max(x, AxesInput(x, axes), {.keep_dims = keep_dims}), axes, keep_dims) : x;
}
Output ReduceMin(Output x, const Axes& axes, bool keep_dims) {
  return x.valid() ? Reduced(Min(x, AxesInput(x, axes), {.keep_dims = keep_dims}), axes, keep_dims) : x;
}
Output ReduceAll(Output x, const Axes& axes, bool keep_dims) {
  return x.valid() ? Reduced(All(x, AxesInput(x, axes), {.keep_dims = keep_dims}), axes, keep_dims) : x;
}
Output ReduceAny(Output x, const Axes& axes, bool keep_dims) {
  return x.valid() ? Reduced(Any(x, AxesInput(x, axes), {.keep_dims = keep_dims}), axes, keep_dims) : x;
}

}  // namespace weir

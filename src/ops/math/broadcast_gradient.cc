#include "ops/math/broadcast_gradient.h"

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "op/shape_context.h"

namespace weir::ops {
namespace {

// The axes of the output along which an input of shape `x` is repeated. REQUIRES: fully defined shapes.
std::vector<int64_t> RepeatedAxes(const PartialShape& x, const PartialShape& output) {
  std::vector<int64_t> axes;
  for (int d = 0; d < output.rank(); ++d) {
    const int own = d - (output.rank() - x.rank());
    if (own < 0 || (x[own] == 1 && output[d] != 1)) axes.push_back(d);
  }
  return axes;
}

Output SumTo(Output g, const PartialShape& x, const PartialShape& output) {
  const std::vector<int64_t> axes = RepeatedAxes(x, output);
  if (axes.empty()) return g;
  if (x.rank() == output.rank()) return Sum(g, axes, {.keep_dims = true});
  Output sum = Sum(g, axes);
  const int64_t dropped = output.rank() - x.rank();
  // Leading axes are gone already; dimensions of size 1 that were summed come back by reshaping.
  if (static_cast<int64_t>(axes.size()) == dropped) return sum;
  return Reshape(sum, std::vector<int64_t>(x.dims().begin(), x.dims().end()));
}

}  // namespace

Gradients Unbroadcast(Output x, Output gx, Output y, Output gy) {
  const PartialShape xs = x.shape();
  const PartialShape ys = y.shape();
  if (xs.fully_defined() && ys.fully_defined()) {
    if (xs == ys) return Gradients{gx, gy};
    Result<PartialShape> zs = BroadcastShapes(xs, ys);
    if (zs.ok()) return Gradients{SumTo(gx, xs, *zs), SumTo(gy, ys, *zs)};
  }
  // A scalar repeats only itself.
  const bool x_whole = ys.known_rank() && ys.rank() == 0;
  const bool y_whole = xs.known_rank() && xs.rank() == 0;
  if (x_whole && y_whole) return Gradients{gx, gy};
  Output sx = ShapeOf(x);
  Output sy = ShapeOf(y);
  BroadcastGradientArgsResult repeated = BroadcastGradientArgs(sx, sy);
  return Gradients{x_whole ? gx : Reshape(Sum(gx, repeated.r0), sx), y_whole ? gy : Reshape(Sum(gy, repeated.r1), sy)};
}

Gradients Unbroadcast(GradientContext& g, Output gx, Output gy) { return Unbroadcast(g.input(0), gx, g.input(1), gy); }

Output UnbroadcastTo(Output x, Output gx, Output z) {
  const PartialShape xs = x.shape();
  const PartialShape zs = z.shape();
  if (xs.fully_defined() && zs.fully_defined() && BroadcastShapes(xs, zs).ok()) return SumTo(gx, xs, zs);
  if (zs.known_rank() && zs.rank() == 0) return gx;
  Output sx = ShapeOf(x);
  return Reshape(Sum(gx, BroadcastGradientArgs(sx, ShapeOf(z)).r0), sx);
}

Output ConjOf(Output x) { return IsComplex(x.base_dtype()) ? Conj(x) : x; }

}  // namespace weir::ops

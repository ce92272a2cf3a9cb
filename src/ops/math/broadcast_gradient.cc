#include "ops/math/broadcast_gradient.h"

#include <algorithm>
#include <optional>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "op/shape_context.h"

namespace weir::ops {
namespace {

// Returns the axes of x + y along which x is broadcast, or nullopt if the static shapes do not determine them.
std::optional<std::vector<int64_t>> RepeatedAxes(const PartialShape& x, const PartialShape& y) {
  if (y.known_rank() && y.rank() == 0) return std::vector<int64_t>();
  if (!x.known_rank() || !y.known_rank()) return std::nullopt;
  const int rank = std::max(x.rank(), y.rank());
  std::vector<int64_t> axes;
  for (int d = 0; d < rank; ++d) {
    const int own = d - (rank - x.rank());
    const int other = d - (rank - y.rank());
    if (own < 0) {
      axes.push_back(d);
    } else if (other >= 0 && y[other] != 1 && (x[own] == 1 || x[own] < 0)) {
      if (x[own] < 0 || y[other] < 0) return std::nullopt;
      axes.push_back(d);
    }
  }
  return axes;
}

// Sums up g to the shape of x, as the gradient of x in x + y. Invalid if the static shapes do not determine the axes.
Output SumTo(Output g, const PartialShape& x, const PartialShape& y) {
  const std::optional<std::vector<int64_t>> axes = RepeatedAxes(x, y);
  if (!axes.has_value()) return {};
  if (axes->empty()) return g;
  if (x.rank() >= y.rank()) return Sum(g, *axes, {.keep_dims = true});
  // The sum removes the leading axes; reshaping restores the summed dimensions of size 1.
  const bool only_leading = static_cast<int>(axes->size()) == y.rank() - x.rank();
  if (only_leading) return Sum(g, *axes);
  if (!x.fully_defined()) return {};
  return Reshape(Sum(g, *axes), std::vector<int64_t>(x.dims().begin(), x.dims().end()));
}

}  // namespace

Gradients Unbroadcast(Output x, Output gx, Output y, Output gy) {
  const PartialShape xs = x.shape();
  const PartialShape ys = y.shape();
  const bool fit = !xs.known_rank() || !ys.known_rank() || BroadcastShapes(xs, ys).ok();
  Output dx = fit ? SumTo(gx, xs, ys) : Output();
  Output dy = fit ? SumTo(gy, ys, xs) : Output();
  if (dx.valid() && dy.valid()) return Gradients{dx, dy};
  Output sx = ShapeOf(x);
  Output sy = ShapeOf(y);
  BroadcastGradientArgsResult repeated = BroadcastGradientArgs(sx, sy);
  return Gradients{dx.valid() ? dx : Reshape(Sum(gx, repeated.r0), sx),
                   dy.valid() ? dy : Reshape(Sum(gy, repeated.r1), sy)};
}

Gradients Unbroadcast(GradientContext& g, Output gx, Output gy) { return Unbroadcast(g.input(0), gx, g.input(1), gy); }

Output UnbroadcastTo(Output x, Output gx, Output z) {
  const PartialShape xs = x.shape();
  const PartialShape zs = z.shape();
  if (!xs.known_rank() || !zs.known_rank() || BroadcastShapes(xs, zs).ok()) {
    if (Output dx = SumTo(gx, xs, zs); dx.valid()) return dx;
  }
  Output sx = ShapeOf(x);
  return Reshape(Sum(gx, BroadcastGradientArgs(sx, ShapeOf(z)).r0), sx);
}

Output ConjOf(Output x) { return IsComplex(x.base_dtype()) ? Conj(x) : x; }

}  // namespace weir::ops

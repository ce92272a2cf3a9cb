#include "ops/math/reduction_gradient.h"

#include <algorithm>
#include <optional>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/graph.h"
#include "ops/math/broadcast_gradient.h"

namespace weir::ops {
namespace {

// The axes in input 1, sorted and non-negative, if they are constant and the rank of input 0 is known.
std::optional<std::vector<int64_t>> ConstantAxes(GradientContext& g) {
  const PartialShape shape = g.input(0).shape();
  Node* node = g.input(1).node;
  if (!shape.known_rank() || node == nullptr || node->type() != "Const") return std::nullopt;
  if (g.input(1).shape().num_elements() > kMaxRank) return std::nullopt;
  Result<Tensor> value = node->Attr<Tensor>("value");
  if (!value.ok()) return std::nullopt;
  std::vector<int64_t> axes = value->Ints();
  for (int64_t& axis : axes) {
    if (axis < 0) axis += shape.rank();
  }
  std::sort(axes.begin(), axes.end());
  return axes;
}

bool KeepsDims(GradientContext& g) { return g.Attr<bool>("keep_dims").value_or(false); }

Output ShapeOfInput(GradientContext& g) {
  const PartialShape shape = g.input(0).shape();
  Output x = g.input(0);
  if (!shape.fully_defined()) return ShapeOf(x);
  return ToOutput(x.graph(), std::vector<int64_t>(shape.dims().begin(), shape.dims().end())).value_or(Output());
}

// The number of elements per output, in the type of the output.
Output ReducedCount(GradientContext& g) {
  Output x = g.input(0);
  Output y = g.output(0);
  const DType type = x.base_dtype();
  Output total = Size(x);
  Output outputs = Maximum(Size(y), 1);
  return Cast(FloorDiv(total, outputs), type);
}

// The axes, which may be a scalar, as an int32 vector.
Output AxesVector(GradientContext& g) {
  const Output axes = g.input(1);
  return Reshape(axes.base_dtype() == kInt32 ? axes : Cast(axes, kInt32), {-1});
}

// The number of reduced elements, or nullopt if the static shapes do not determine it.
std::optional<int64_t> StaticCount(GradientContext& g) {
  std::optional<std::vector<int64_t>> axes = ConstantAxes(g);
  if (!axes) return std::nullopt;
  int64_t count = 1;
  for (int64_t axis : *axes) {
    const int64_t size = g.input(0).shape()[static_cast<int>(axis)];
    if (size == kUnknownDim) return std::nullopt;
    count *= size;
  }
  return count;
}

// The product of all other elements along `axis`, without division, so that zeros are no special case.
Output ProductOfOthers(Output x, const Input& axis) {
  Output left = Cumprod(x, axis, {.exclusive = true});
  Output right = Cumprod(x, axis, {.exclusive = true, .reverse = true});
  return ConjOf(left) * ConjOf(right);
}

}  // namespace

Output WithReducedAxes(GradientContext& g, Output value) {
  if (KeepsDims(g)) return value;
  if (std::optional<std::vector<int64_t>> axes = ConstantAxes(g)) {
    // Broadcasting restores leading axes.
    size_t leading = 0;
    while (leading < axes->size() && (*axes)[leading] == static_cast<int64_t>(leading)) ++leading;
    if (leading == axes->size()) return value;
    for (int64_t axis : *axes) value = ExpandDims(value, axis);
    return value;
  }
  Output shape = ShapeOf(g.input(0));
  Output rank = Size(shape);
  Output axes = AxesVector(g);
  Output positive = FloorMod(axes + rank, rank);
  Output kept = DynamicStitch({Range(0, rank, 1), positive}, {shape, OnesLike(positive)});
  return Reshape(value, kept);
}

Result<Gradients> SumGradient(GradientContext& g) {
  return Gradients{BroadcastTo(WithReducedAxes(g, g.d_output(0)), ShapeOfInput(g)), std::monostate{}};
}

Result<Gradients> MeanGradient(GradientContext& g) {
  Output dy = g.d_output(0);
  std::optional<int64_t> count = StaticCount(g);
  Output share = count ? dy / *count : RealDiv(dy, ReducedCount(g));
  return Gradients{BroadcastTo(WithReducedAxes(g, share), ShapeOfInput(g)), std::monostate{}};
}

Result<Gradients> ProdGradient(GradientContext& g) {
  Output x = g.input(0);
  Output dy = WithReducedAxes(g, g.d_output(0));
  std::optional<std::vector<int64_t>> axes = ConstantAxes(g);
  if (axes && axes->size() == 1) return Gradients{dy * ProductOfOthers(x, axes->front()), std::monostate{}};
  if (axes && static_cast<int>(axes->size()) == x.shape().rank()) {
    Output others = ProductOfOthers(Reshape(x, {-1}), 0);
    return Gradients{dy * Reshape(others, ShapeOfInput(g)), std::monostate{}};
  }
  // Arbitrary axes: move the reduced ones to the front and merge them.
  Output shape = ShapeOf(x);
  Output rank = Size(shape);
  Output reduced = FloorMod(AxesVector(g) + rank, rank);
  Output others = ListDiff(Range(0, rank, 1), reduced).out;
  Output perm = ConcatV2({reduced, others}, 0);
  Output moved = Transpose(x, perm);
  Output sizes = ConcatV2(
      {Prod(Gather(shape, reduced), 0, {.keep_dims = true}), Prod(Gather(shape, others), 0, {.keep_dims = true})}, 0);
  Output product = Reshape(ProductOfOthers(Reshape(moved, sizes), 0), ShapeOf(moved));
  return Gradients{dy * Transpose(product, InvertPermutation(perm)), std::monostate{}};
}

Result<Gradients> ExtremumGradient(GradientContext& g) {
  Output x = g.input(0);
  Output best = WithReducedAxes(g, g.output(0));
  Output taken = Cast(Equal(best, x), x.base_dtype());
  Output ties = Sum(taken, g.input(1), {.keep_dims = true});
  return Gradients{taken / ties * WithReducedAxes(g, g.d_output(0)), std::monostate{}};
}

Result<Gradients> EuclideanNormGradient(GradientContext& g) {
  Output y = WithReducedAxes(g, g.output(0));
  Output dy = WithReducedAxes(g, g.d_output(0));
  return Gradients{g.input(0) / (y / dy), std::monostate{}};
}

}  // namespace weir::ops

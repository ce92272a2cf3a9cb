#include "graph/compose/layer_shapes.h"

#include <cmath>

#include "graph/build/array_ops.h"
#include "graph/build/image_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/compose/array.h"
#include "graph/compose/clip.h"
#include "graph/compose/dims.h"
#include "graph/compose/math.h"
#include "graph/compose/nn.h"
#include "graph/compose/random.h"

namespace weir::layers {
namespace {

// x, or a failed output if x does not have so many spatial dimensions.
Output WithSpatial(Output x, size_t dims) {
  if (!x.valid() || x.shape().rank() == static_cast<int>(dims) + 2) return x;
  return FailedOutput(x.graph(),
                      InvalidArgument("a layer with {} spatial dimensions needs inputs of rank {}, but the shape is {}",
                                      dims, dims + 2, x.shape()));
}

std::vector<int64_t> SpatialAxes(int rank, bool channels_first) {
  std::vector<int64_t> axes;
  for (int i = 1; i + 1 < rank; ++i) axes.push_back(channels_first ? i + 1 : i);
  return axes;
}

}  // namespace

Output CropSpatial(Output x, const Margins& margins, bool channels_first) {
  x = WithSpatial(x, margins.size());
  if (!x.valid()) return x;
  const int rank = x.shape().rank();
  std::vector<int64_t> begin(static_cast<size_t>(rank), 0), end = begin;
  const std::vector<int64_t> step(static_cast<size_t>(rank), 1);
  int64_t to_the_end = 0;
  for (int i = 0; i < rank; ++i) to_the_end |= int64_t{1} << i;
  const std::vector<int64_t> axes = SpatialAxes(rank, channels_first);
  for (size_t i = 0; i < margins.size(); ++i) {
    const auto at = static_cast<size_t>(axes[i]);
    begin[at] = margins[i].first;
    end[at] = -margins[i].second;
    if (margins[i].second != 0) to_the_end &= ~(int64_t{1} << axes[i]);
    const int64_t size = x.shape()[static_cast<int>(axes[i])];
    if (size >= 0 && margins[i].first + margins[i].second >= size)
      return FailedOutput(x.graph(), InvalidArgument("cropping {} and {} elements leaves nothing of an axis of size {}",
                                                     margins[i].first, margins[i].second, size));
  }
  return StridedSlice(x.graph(), x, begin, end, step, 0, to_the_end, 0, 0, 0);
}

Output PadSpatial(Output x, const Margins& margins, bool channels_first) {
  x = WithSpatial(x, margins.size());
  if (!x.valid()) return x;
  const int rank = x.shape().rank();
  const std::vector<int64_t> axes = SpatialAxes(rank, channels_first);
  std::vector<int32_t> sizes(static_cast<size_t>(2 * rank), 0);
  for (size_t i = 0; i < margins.size(); ++i) {
    sizes[static_cast<size_t>(2 * axes[i])] = static_cast<int32_t>(margins[i].first);
    sizes[static_cast<size_t>(2 * axes[i] + 1)] = static_cast<int32_t>(margins[i].second);
  }
  return PadWith(x.graph(), x, Tensor::Of<int32_t>({rank, 2}, sizes));
}

Output EnlargeSpatial(Output x, const std::vector<int64_t>& factors, bool channels_first) {
  x = WithSpatial(x, factors.size());
  if (!x.valid()) return x;
  const std::vector<int64_t> axes = SpatialAxes(x.shape().rank(), channels_first);
  for (size_t i = 0; i < factors.size() && x.valid(); ++i)
    if (factors[i] != 1) x = RepeatOf(x.graph(), x, Input(factors[i]), axes[i]);
  return x;
}

Output EnlargeBilinear(Output x, int64_t rows, int64_t columns, bool channels_first) {
  x = WithSpatial(x, 2);
  if (!x.valid()) return x;
  Graph& graph = x.graph();
  if (channels_first) x = TransposeAxes(graph, x, std::vector<int64_t>{0, 2, 3, 1});
  const std::vector<Dim> sizes = DimsOf(x);
  const auto times = [](const Dim& size, int64_t factor) {
    return size.known() ? Dim(size.size * factor) : Dim(size.value * factor);
  };
  const Output size = ShapeVector(graph, {times(sizes[1], rows), times(sizes[2], columns)});
  Output y = ResizeBilinear(x, size, {.half_pixel_centers = true});
  if (channels_first) y = TransposeAxes(graph, y, std::vector<int64_t>{0, 3, 1, 2});
  return y;
}

Output PoolGlobally(Output x, bool max, bool channels_first) {
  if (!x.valid()) return x;
  const std::vector<int64_t> axes = SpatialAxes(x.shape().rank(), channels_first);
  return max ? ReduceMax(x, Axes(axes)) : ReduceMean(x, Axes(axes));
}

namespace {

// Moves an axis to another place.
Output WithAxisAt(Output x, int64_t from, int64_t to) {
  std::vector<int64_t> order;
  for (int i = 0; i < x.shape().rank(); ++i)
    if (i != from) order.push_back(i);
  order.insert(order.begin() + to, from);
  return from == to ? x : TransposeAxes(x.graph(), x, order);
}

// [batch, ..., n] to [batch, product, n], or with the last axis second: [batch, n, product].
Output AsMatrices(Output x, bool sum_axis_last) {
  const std::vector<Dim> sizes = DimsOf(x);
  const std::vector<Dim> rest = sum_axis_last ? std::vector<Dim>(sizes.begin() + 1, sizes.end() - 1)
                                              : std::vector<Dim>(sizes.begin() + 2, sizes.end());
  const Dim count = ProductOf(x.graph(), rest);
  const std::vector<Dim> shape = sum_axis_last ? std::vector<Dim>{sizes.front(), count, sizes.back()}
                                               : std::vector<Dim>{sizes[0], sizes[1], count};
  return Reshape(x, ShapeVector(x.graph(), shape));
}

}  // namespace

Output BatchDot(Output x, Output y, int64_t x_axis, int64_t y_axis) {
  if (!x.valid() || !y.valid()) return InvalidOf(x, y);
  Graph& graph = x.graph();
  const int x_rank = x.shape().rank(), y_rank = y.shape().rank();
  if (x_rank < 2 || y_rank < 2)
    return FailedOutput(graph, InvalidArgument("a product of batches needs operands of at least two dimensions, but "
                                               "the shapes are {} and {}",
                                               x.shape(), y.shape()));
  if (x_axis < 1 || x_axis >= x_rank || y_axis < 1 || y_axis >= y_rank)
    return FailedOutput(graph, InvalidArgument("axes {} and {} are not axes of shapes {} and {} after the batch",
                                               x_axis, y_axis, x.shape(), y.shape()));
  const int64_t a = x.shape()[static_cast<int>(x_axis)], b = y.shape()[static_cast<int>(y_axis)];
  if (a >= 0 && b >= 0 && a != b)
    return FailedOutput(graph, InvalidArgument("cannot do a product over axis {} of shape {} and axis {} of shape {}",
                                               x_axis, x.shape(), y_axis, y.shape()));
  const Output left = WithAxisAt(x, x_axis, x_rank - 1), right = WithAxisAt(y, y_axis, 1);
  if (!left.valid() || !right.valid()) return Output::Failed(graph);
  std::vector<Dim> sizes = DimsOf(left);
  sizes.pop_back();
  const std::vector<Dim> more = DimsOf(right);
  sizes.insert(sizes.end(), more.begin() + 2, more.end());
  if (sizes.size() == 1) sizes.emplace_back(1);
  const Output product = MatrixMultiply(graph, AsMatrices(left, true), AsMatrices(right, false));
  if (!product.valid()) return product;
  return Reshape(product, ShapeVector(graph, sizes));
}

Output DotOf(Graph& graph, const Input& x_in, const Input& y_in) {
  const auto [x, y] = ValuesOfOneType(graph, x_in, y_in);
  if (!x.valid() || !y.valid()) return Output::Failed(graph);
  const int x_rank = x.shape().rank(), y_rank = y.shape().rank();
  if (x_rank < 1 || y_rank < 1 || (x_rank == 2 && y_rank == 2)) return MatMul(x, y);
  return TensorDot(graph, x, y, std::vector<int64_t>{x_rank - 1}, std::vector<int64_t>{y_rank > 1 ? y_rank - 2 : 0});
}

Output LimitedRelu(Output x, double alpha, std::optional<double> max_value, double threshold) {
  if (!x.valid()) return x;
  if (alpha == 0 && threshold == 0 && max_value == 6.0) return Relu6(x);
  Output y;
  if (threshold == 0) {
    y = Relu(x);
  } else {
    y = x * Cast(Greater(x, Input(threshold)), x.base_dtype());
  }
  if (max_value.has_value()) y = ClipByValueBounds(y, Input(0.0), Input(*max_value));
  if (alpha != 0) {
    const Output below = threshold == 0 ? Relu(-x) : Relu(SubInput(Input(threshold), x));
    y = y - MulInput(Input(alpha), below);
  }
  return y;
}

Output ParametricRelu(Output x, Output alpha) { return Relu(x) - alpha * Relu(-x); }

Output AlphaDropout(Output x, double rate, const Input& noise_shape, std::optional<int64_t> seed) {
  if (!x.valid()) return x;
  Graph& graph = x.graph();
  constexpr double kSaturated = -1.7580993408473766;  // selu(-inf)
  const double a = 1.0 / std::sqrt((1 - rate) * (1 + rate * kSaturated * kSaturated));
  const double b = -a * kSaturated * rate;
  const Input shape = noise_shape.absent() ? Input(ShapeValue(graph, x)) : noise_shape;
  const Output draw = RandomUniform(graph, shape, 0, {}, x.base_dtype(), seed);
  const Output kept = Cast(GreaterEqual(draw, Input(rate)), x.base_dtype());
  const Output dropped = MulInput(Input(kSaturated), SubInput(Input(1.0), kept));
  return AddInput(MulInput(Input(a), x * kept + dropped), Input(b));
}

Output BoundedNorms(Output x, const std::vector<int64_t>& axes, double low, std::optional<double> high, double rate,
                    double epsilon) {
  if (!x.valid()) return x;
  const Output norms = Sqrt(ReduceSum(Square(x), Axes(axes), kKeepDims));
  Output wanted;
  if (low == 1 && high == 1.0) return x / AddInput(Input(epsilon), norms);
  if (high.has_value()) {
    wanted = ClipByValueBounds(norms, Input(low), Input(*high));
  } else {
    wanted = Maximum(norms, Input(low));
  }
  if (rate != 1) wanted = AddInput(MulInput(Input(rate), wanted), MulInput(Input(1.0 - rate), norms));
  return x * (wanted / AddInput(Input(epsilon), norms));
}

Output PenaltyOf(Output x, double l1, double l2) {
  if (!x.valid()) return x;
  Output penalty;
  if (l1 != 0) penalty = MulInput(Input(l1), ReduceSum(Abs(x)));
  if (l2 != 0) {
    const Output squares = MulInput(Input(l2), ReduceSum(Square(x)));
    penalty = penalty.valid() ? penalty + squares : squares;
  }
  return penalty.valid() ? penalty : ValueOf(x.graph(), 0.0, x.base_dtype());
}

Output NormalizeOver(Output x, const std::vector<int64_t>& axes, const Input& scale, const Input& offset,
                     double epsilon) {
  if (!x.valid()) return x;
  const MomentsResult moments = Moments(x, Axes(axes), kKeepDims);
  return weir::BatchNormalization(x, moments.mean, moments.variance, offset, scale, epsilon);
}

}  // namespace weir::layers

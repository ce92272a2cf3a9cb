#include "graph/compose/layer_math.h"

#include <algorithm>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/compose/array.h"
#include "graph/compose/convolution.h"
#include "graph/compose/dims.h"
#include "graph/compose/math.h"
#include "graph/compose/nn.h"
#include "graph/node_builder.h"

namespace weir::layers {
namespace {

std::vector<int64_t> AxesFrom(int64_t first, int64_t end) {
  std::vector<int64_t> axes;
  for (int64_t i = first; i < end; ++i) axes.push_back(i);
  return axes;
}

// Sets the static shape and returns x.
Output WithShape(Output x, const PartialShape& shape) {
  if (x.valid()) x.graph().RecordError(x.graph().SetShape(x, shape));
  return x;
}

}  // namespace

Output NormalizeLayer(Output x, int64_t begin_axis, const NormParameters& parameters) {
  const MomentsResult moments = Moments(x, Axes(AxesFrom(begin_axis, x.shape().rank())), kKeepDims);
  const double epsilon = x.base_dtype() == kHalf ? 1e-3 : 1e-12;
  return WithShape(BatchNormalization(x, moments.mean, moments.variance, parameters.beta, parameters.gamma, epsilon),
                   x.shape());
}

Output NormalizeInstances(Output x, bool channels_first, double epsilon, const NormParameters& parameters) {
  Graph& graph = x.graph();
  const int rank = x.shape().rank();
  const int channels = channels_first ? 1 : rank - 1;
  std::vector<int64_t> axes;
  for (int i = 1; i < rank; ++i)
    if (i != channels) axes.push_back(i);
  const auto spread = [&](const Input& value) {
    if (value.absent() || !channels_first) return value;
    std::vector<int64_t> shape(static_cast<size_t>(rank), 1);
    shape[1] = -1;
    return Input(Reshape(graph, value, shape));
  };
  const Input beta = spread(parameters.beta), gamma = spread(parameters.gamma);
  const MomentsResult moments = Moments(x, Axes(axes), kKeepDims);
  return BatchNormalization(x, moments.mean, moments.variance, beta, gamma, epsilon, "instancenorm");
}

Result<int64_t> GroupNormChannels(const PartialShape& shape, const GroupNormOptions& options) {
  const int rank = shape.rank();
  int64_t channels_axis = options.channels_axis;
  if (channels_axis > rank - 1 || channels_axis < -rank) return InvalidArgument("Axis is out of bounds.");
  if (channels_axis < 0) channels_axis += rank;
  const int64_t channels = shape[static_cast<int>(channels_axis)];
  if (channels < 0) return InvalidArgument("the channel dimension {} of the inputs is not known", channels_axis);
  for (int64_t axis : options.reduction_axes) {
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) return InvalidArgument("Axis is out of bounds.");
    if (shape[static_cast<int>(axis)] < 0) return InvalidArgument("dimension {} of the inputs is not known", axis);
    if (axis == channels_axis) return InvalidArgument("reduction_axis must be mutually exclusive with channels_axis");
  }
  if (options.groups < 1 || options.groups > channels)
    return InvalidArgument("Invalid groups {} for {} channels.", options.groups, channels);
  if (channels % options.groups != 0)
    return InvalidArgument("{} channels is not commensurate with {} groups.", channels, options.groups);
  return channels;
}

Output NormalizeGroups(Output x, const GroupNormOptions& options, const NormParameters& parameters) {
  Graph& graph = x.graph();
  const PartialShape shape = x.shape();
  const int rank = shape.rank();
  const Result<int64_t> channels = GroupNormChannels(shape, options);
  if (!channels.ok()) return FailedOutput(graph, channels.status());
  const int64_t at = options.channels_axis < 0 ? options.channels_axis + rank : options.channels_axis;
  std::vector<Dim> dims = DimsOf(x);
  const std::vector<Dim> original = dims;
  dims[static_cast<size_t>(at)] = Dim(options.groups);
  dims.insert(dims.begin() + at + 1, Dim(*channels / options.groups));
  const Output grouped = Reshape(x, ShapeVector(graph, dims));
  std::vector<int64_t> axes = {at + 1}, spread_shape(static_cast<size_t>(rank) + 1, 1);
  for (int64_t axis : options.reduction_axes) {
    if (axis < 0) axis += rank;
    axes.push_back(axis > at ? axis + 1 : axis);
  }
  spread_shape[static_cast<size_t>(at)] = options.groups;
  spread_shape[static_cast<size_t>(at) + 1] = *channels / options.groups;
  MomentsResult moments;
  if (options.mean_close_to_zero) {
    const Statistics s = SufficientStatistics(graph, grouped, Axes(axes), {}, kKeepDims);
    moments = NormalizeMoments(graph, s.count, s.sum, s.squares);
  } else {
    moments = Moments(grouped, Axes(axes), kKeepDims);
  }
  Output gain = Rsqrt(moments.variance + options.epsilon);
  Output offset = -moments.mean * gain;
  if (!parameters.gamma.absent()) {
    const Output gamma = Reshape(graph, parameters.gamma, spread_shape);
    gain = gain * gamma;
    offset = offset * gamma;
  }
  if (!parameters.beta.absent()) offset = offset + Reshape(graph, parameters.beta, spread_shape);
  return Reshape(grouped * gain + offset, ShapeVector(graph, original));
}

Output NormalizeUnit(Output x, int64_t axis, double epsilon) {
  const int rank = x.shape().rank();
  if (!x.shape().known_rank()) return FailedOutput(x.graph(), InvalidArgument("The input rank must be known."));
  if (axis < 0 || axis >= rank)
    return FailedOutput(x.graph(), InvalidArgument("dim must be positive but smaller than the input rank."));
  return x / Sqrt(epsilon + ReduceSum(Square(x), Axes(axis), kKeepDims));
}

Output NormalizePoincare(Output x, int64_t axis, double epsilon) {
  const Output inverse_norm = Rsqrt(ReduceSum(Square(x), Axes(axis), kKeepDims));
  return x * Minimum((1.0 - epsilon) * inverse_norm, 1.0);
}

Output MaxOut(Output x, int64_t num_units, int64_t axis) {
  Graph& graph = x.graph();
  const PartialShape shape = x.shape();
  if (!shape.known_rank()) return FailedOutput(graph, InvalidArgument("the rank of the inputs of maxout is not known"));
  const Result<int> at = NormalAxis(axis, shape.rank(), "maxout");
  if (!at.ok()) return FailedOutput(graph, at.status());
  const int64_t features = shape[*at];
  if (features < 0 || num_units < 1 || features % num_units != 0)
    return FailedOutput(
        graph, InvalidArgument("number of features({}) is not a multiple of num_units({})", features, num_units));
  std::vector<Dim> dims = DimsOf(x);
  dims[static_cast<size_t>(*at)] = Dim(num_units);
  dims.push_back(Dim(features / num_units));
  return ReduceMax(Reshape(x, ShapeVector(graph, dims)), Axes(-1));
}

Output SpatialSoftmax(Output features, const Input& temperature, bool channels_first) {
  Graph& graph = features.graph();
  const PartialShape shape = features.shape();
  const int64_t channels = shape.rank() == 4 ? shape[channels_first ? 1 : 3] : kUnknownDim;
  if (channels < 0)
    return FailedOutput(graph,
                        InvalidArgument("The num_channels dimension of the inputs to `spatial_softmax` should be "
                                        "defined. Found `None`."));
  const Output sizes = ShapeOf(features);
  const auto size_at = [&](int64_t i) {
    return StridedSlice(sizes, std::vector<int64_t>{i}, std::vector<int64_t>{i + 1}, {1}, {.shrink_axis_mask = 1});
  };
  const Output height = size_at(channels_first ? 2 : 1), width = size_at(channels_first ? 3 : 2);
  const Output area = Pack(graph, InputList{height * width});
  const OutputList grid =
      MeshGrid(graph, {LinSpace(graph, -1.0f, 1.0f, height), LinSpace(graph, -1.0f, 1.0f, width)}, /*matrix=*/true);
  if (grid.size() < 2) return Output::Failed(graph);
  const Output x = Reshape(grid[0], area), y = Reshape(grid[1], area);
  if (!channels_first) features = Transpose(features, std::vector<int64_t>{0, 3, 1, 2});
  const Output rows = Reshape(features, Pack(graph, {Input(-1), Input(height * width)}));
  const Output attention = Softmax(RealDiv(graph, rows, temperature));
  const Output expected_x = ReduceSum(x * attention, Axes(1), kKeepDims);
  const Output expected_y = ReduceSum(y * attention, Axes(1), kKeepDims);
  const Output both = ConcatV2(graph, {expected_x, expected_y}, 1);
  return WithShape(Reshape(both, std::vector<int64_t>{-1, channels * 2}), PartialShape{kUnknownDim, channels * 2});
}

Output ConvolveInPlane(Output x, const Input& filter, const std::vector<int64_t>& strides, const std::string& padding) {
  Graph& graph = x.graph();
  const PartialShape shape = x.shape();
  if (shape.rank() != 4 || shape[3] < 0)
    return FailedOutput(graph,
                        InvalidArgument("the images must have four dimensions and known channels, not {}", shape));
  const Output filters = Tile(graph, filter, std::vector<int64_t>{1, 1, shape[3], 1});
  return ConvolveDepthwise(graph, x, filters, {.strides = strides, .padding = padding});
}

Output FlattenInner(Output x, int64_t new_rank) {
  Graph& graph = x.graph();
  const PartialShape shape = x.shape();
  if (shape.known_rank() && shape.rank() < new_rank)
    return FailedOutput(
        graph, InvalidArgument("inputs has rank less than new_rank: {} has rank {}, expected at least {}", x.name(),
                               shape.rank(), new_rank));
  const Output outer = StridedSlice(ShapeOf(x), {0}, std::vector<int64_t>{new_rank - 1}, {1});
  const Output flat = Reshape(x, ConcatV2(graph, {outer, Tensor::Vector<int32_t>({-1})}, 0));
  if (!shape.known_rank()) return flat;
  PartialShape dims = PartialShape::Scalar();
  int64_t inner = 1;
  for (int i = 0; i < shape.rank(); ++i) {
    if (i < new_rank - 1)
      dims.AddDim(shape[i]);
    else if (inner >= 0)
      inner = shape[i] < 0 ? kUnknownDim : inner * shape[i];
  }
  dims.AddDim(inner);
  return WithShape(flat, dims);
}

Output ImagesToSequence(Output x, bool channels_first) {
  Graph& graph = x.graph();
  if (x.shape().rank() != 4)
    return FailedOutput(graph, InvalidArgument("images must have four dimensions, not the shape {}", x.shape()));
  if (channels_first) x = Transpose(x, std::vector<int64_t>{0, 2, 3, 1});
  if (!x.valid()) return x;
  const std::vector<Dim> dims = DimsOf(x);
  const Dim rows = ProductOf(graph, {dims[0], dims[1]});
  return Reshape(Transpose(x, std::vector<int64_t>{2, 0, 1, 3}), ShapeVector(graph, {dims[2], rows, dims[3]}));
}

Output SequenceToImages(Output x, int64_t height, bool channels_first) {
  Graph& graph = x.graph();
  const PartialShape shape = x.shape();
  if (shape.rank() != 3 || height < 1)
    return FailedOutput(graph, InvalidArgument("a sequence of images must have three dimensions and a positive height, "
                                               "not the shape {} and height {}",
                                               shape, height));
  const std::vector<Dim> dims = DimsOf(x);
  const Dim batch = shape[1] < 0 ? Dim(-1) : Dim(shape[1] / height);
  const Output sizes = ShapeVector(graph, {dims[0], Dim(height), dims[2]});
  const Output parts = Reshape(
      x, batch.known()
             ? ShapeVector(graph, {dims[0], batch, Dim(height), dims[2]})
             : ConcatV2(graph, {Slice(sizes, {0}, {1}), Tensor::Vector<int32_t>({-1}), Slice(sizes, {1}, {2})}, 0));
  return Transpose(parts, channels_first ? std::vector<int64_t>{1, 3, 2, 0} : std::vector<int64_t>{1, 2, 0, 3});
}

Sparse SparseOf(Output x, const Input& eos_token) {
  Graph& graph = x.graph();
  const Output token = ValueOf(graph, eos_token, x.base_dtype(), "eos_token");
  const Output indices = Where(NotEqual(x, token));
  return {indices, GatherNd(x, indices), ShapeOf(x, {.out_type = kInt64})};
}

Output MultiplyRows(Output x, const Input& weights, const Input& biases) {
  Graph& graph = x.graph();
  const std::vector<Dim> dims = DimsOf(x);
  const Output w = ValueOf(graph, weights);
  if (!w.valid()) return w;
  Output y = dims.size() <= 2 ? x : Reshape(x, std::vector<int64_t>{-1, w.shape()[0]});
  y = MatMul(y, w);
  if (!biases.absent()) y = BiasAdd(graph, y, biases);
  if (dims.size() <= 2) return y;
  std::vector<Dim> out = dims;
  out.back() = Dim(w.shape()[1]);
  return Reshape(y, ShapeVector(graph, out));
}

}  // namespace weir::layers

#include "graph/compose/convolution.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/compose/array.h"
#include "graph/compose/dims.h"
#include "graph/compose/names.h"
#include "graph/texts.h"

namespace weir {
namespace {

bool ChannelsFirst(const WindowOptions& options) { return options.data_format.starts_with("NC"); }

// The format name for ops with `dims` (2 or 3) spatial dimensions. An error if the format has another number of
// dimensions.
Result<std::string> OpFormat(const WindowOptions& options, int dims) {
  constexpr const char* kLast[] = {"NWC", "NHWC", "NDHWC"};
  constexpr const char* kFirst[] = {"NCW", "NCHW", "NCDHW"};
  const std::string& format = options.data_format;
  const int op = std::max(dims, 2) - 1;
  if (format.empty() || format == kLast[dims - 1]) return std::string(kLast[op]);
  if (format == kFirst[dims - 1]) return std::string(kFirst[op]);
  // One dimension is computed as two, so the names for two are accepted.
  if (dims == 1 && (format == "NHWC" || format == "NCHW")) return format;
  return InvalidArgument("data_format must be {} or {}, but is {}", kLast[dims - 1], kFirst[dims - 1], format);
}

// Expands `values` to one per dimension of the image. Accepts one for all, one per spatial dimension or one per
// dimension.
Result<std::vector<int64_t>> ExpandToDimensions(const std::vector<int64_t>& values, int dims, bool channels_first,
                                                const char* what) {
  const auto n = static_cast<size_t>(dims);
  std::vector<int64_t> spatial(n, 1);
  if (values.size() == 1) {
    std::fill(spatial.begin(), spatial.end(), values[0]);
  } else if (values.size() == n) {
    spatial = values;
  } else if (values.size() == n + 2) {
    if (dims > 1) return values;
    if (values[0] != 1 || values[channels_first ? 1 : 2] != 1)
      return InvalidArgument("{} of batch and channels must be 1, but {} is [{}]", what, what,
                             absl::StrJoin(values, ", "));
    spatial[0] = values[channels_first ? 2 : 1];
  } else if (!values.empty()) {
    return InvalidArgument("{0} should be of length 1, {1} or {2}. Received: {0}=[{3}] of length {4}", what, dims,
                           dims + 2, absl::StrJoin(values, ", "), values.size());
  }
  if (dims == 1) spatial.insert(spatial.begin(), 1);
  std::vector<int64_t> all = spatial;
  all.insert(all.begin(), 1);
  all.insert(channels_first ? all.begin() + 1 : all.end(), 1);
  return all;
}

struct OpWindow {
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations;
  std::string format;
};
Result<OpWindow> OpWindowOf(const WindowOptions& options, int dims) {
  OpWindow w;
  WEIR_ASSIGN(w.format, OpFormat(options, dims));
  WEIR_ASSIGN(w.strides, ExpandToDimensions(options.strides, dims, ChannelsFirst(options), "strides"));
  WEIR_ASSIGN(w.dilations, ExpandToDimensions(options.dilations, dims, ChannelsFirst(options), "dilations"));
  return w;
}

// The axis that is added to images with one spatial dimension.
int ExtraAxis(const WindowOptions& options) { return ChannelsFirst(options) ? 2 : 1; }

// The number of spatial dimensions of images of any rank.
Result<int> SpatialDims(Output images) {
  const PartialShape shape = images.shape();
  if (!shape.known_rank()) return InvalidArgument("the rank of '{}' must be known", images.name());
  if (shape.rank() < 3 || shape.rank() > 5)
    return InvalidArgument("'{}' must have 1 to 3 spatial dimensions, but has the shape {}", images.name(), shape);
  return shape.rank() - 2;
}

Output ConvolveLine(Graph& graph, const Input& images, const Input& filter, const WindowOptions& options) {
  NameScope scope(graph, NameOrDefault(options.name, "conv1d"));
  Result<OpWindow> w = OpWindowOf(options, 1);
  if (!w.ok()) return FailedOutput(graph, w.status());
  const int axis = ExtraAxis(options);
  Output x = ExpandDims(graph, images, axis);
  if (!x.valid()) return Output::Failed(graph);
  Output y = Conv2D(graph, x, ExpandDims(graph, ValueOrLiteralOf(graph, filter, x.base_dtype(), "filter"), 0),
                    w->strides, options.padding, {.data_format = w->format, .dilations = w->dilations});
  return Squeeze(graph, y, {.squeeze_dims = {axis}});
}

}  // namespace

Output Convolve(Graph& graph, const Input& images, const Input& filter, int dims, const WindowOptions& options) {
  if (dims == 1) return ConvolveLine(graph, images, filter, options);
  Result<OpWindow> w = OpWindowOf(options, dims);
  if (!w.ok()) return FailedOutput(graph, w.status());
  if (dims == 2) {
    return Conv2D(graph, images, filter, w->strides, options.padding,
                  {.explicit_paddings = options.explicit_paddings,
                   .data_format = w->format,
                   .dilations = w->dilations,
                   .name = options.name});
  }
  return Conv3D(graph, images, filter, w->strides, options.padding,
                {.data_format = w->format, .dilations = w->dilations, .name = options.name});
}

Output ConvolveAnyRank(Graph& graph, const Input& images, const Input& filter, const WindowOptions& options) {
  Output x = ValueOf(graph, images, kInvalidType, "input");
  if (!x.valid()) return Output::Failed(graph);
  Result<int> dims = SpatialDims(x);
  if (!dims.ok()) return FailedOutput(graph, dims.status());
  WindowOptions named = options;
  named.name = NameOrDefault(options.name, "convolution");
  return Convolve(graph, x, filter, *dims, named);
}

Output ConvolveTransposed(Graph& graph, const Input& images, const Input& filter, const Input& output_shape, int dims,
                          const WindowOptions& options) {
  constexpr const char* kNames[] = {"conv1d_transpose", "conv2d_transpose", "conv3d_transpose"};
  NameScope scope(graph, NameOrDefault(options.name, kNames[dims - 1]));
  Result<OpWindow> w = OpWindowOf(options, dims);
  if (!w.ok()) return FailedOutput(graph, w.status());
  const std::string name = ExactScopeName(scope);
  if (dims == 3) {
    return Conv3DBackpropInputV2(graph, output_shape, filter, images, w->strides, options.padding,
                                 {.data_format = w->format, .dilations = w->dilations, .name = name});
  }
  if (dims == 2) {
    return Conv2DBackpropInput(graph, output_shape, filter, images, w->strides, options.padding,
                               {.data_format = w->format, .dilations = w->dilations, .name = name});
  }
  Output x = ValueOf(graph, images, kInvalidType, "value");
  if (!x.valid()) return Output::Failed(graph);
  Output f = ValueOrLiteralOf(graph, filter, x.base_dtype(), "filter");
  Output sizes = ValueOf(graph, output_shape, kInvalidType, "output_shape");
  if (!f.valid() || !sizes.valid()) return Output::Failed(graph);
  const PartialShape rank = sizes.shape();
  if (!rank.CompatibleWith(PartialShape{dims + 2}))
    return FailedOutput(graph, InvalidArgument("output_shape must have shape ({},), got {}", dims + 2, rank));
  const int axis = ExtraAxis(options);
  Output one = ValueOf(graph, Tensor::Vector<int32_t>({1}));
  Output all = ConcatV2(graph,
                        {Slice(graph, sizes, {0}, std::vector<int64_t>{axis}), one,
                         Slice(graph, sizes, std::vector<int64_t>{axis}, {-1})},
                        0);
  Output y = Conv2DBackpropInput(graph, all, ExpandDims(graph, f, 0), ExpandDims(graph, x, axis), w->strides,
                                 options.padding, {.data_format = w->format, .dilations = w->dilations});
  return Squeeze(graph, y, {.squeeze_dims = {axis}, .name = name});
}

Output ConvolveDepthwise(Graph& graph, const Input& images, const Input& filter, const WindowOptions& options) {
  Result<OpWindow> w = OpWindowOf(options, 2);
  if (!w.ok()) return FailedOutput(graph, w.status());
  return DepthwiseConv2dNative(
      graph, images, filter, w->strides, options.padding,
      {.data_format = w->format, .dilations = w->dilations, .name = NameOrDefault(options.name, "depthwise")});
}

Output ConvolveSeparable(Graph& graph, const Input& images, const Input& depthwise, const Input& pointwise,
                         const WindowOptions& options) {
  NameScope scope(graph, NameOrDefault(options.name, "separable_conv2d"));
  WindowOptions within = options;
  within.name = "depthwise";
  Output x = ValueOf(graph, images, kInvalidType, "tensor_in");
  if (!x.valid()) return Output::Failed(graph);
  const Output down = ValueOf(graph, depthwise, kInvalidType, "depthwise_filter");
  Output across = ValueOf(graph, pointwise, kInvalidType, "pointwise_filter");
  if (!down.valid() || !across.valid()) return Output::Failed(graph);
  const PartialShape shape = across.shape();
  if (shape.known_rank() && shape.rank() != 4)
    return FailedOutput(graph,
                        InvalidArgument("Shape {} must have rank 4: that of pointwise_filter", PythonText(shape)));
  if (!shape.CompatibleWith(PartialShape{1, 1, kUnknownDim, kUnknownDim}))
    return FailedOutput(
        graph, InvalidArgument("pointwise_filter must be [1, 1, channels, results], but has the shape {}", shape));
  Output y = ConvolveDepthwise(graph, x, down, within);
  const WindowOptions single{.data_format = options.data_format, .name = ExactScopeName(scope)};
  return Convolve(graph, y, across, 2, single);
}

Output ConvolveSeparableLine(Graph& graph, const Input& images, const Input& depthwise, const Input& pointwise,
                             const WindowOptions& options) {
  NameScope scope(graph, NameOrDefault(options.name, "separable_conv1d"));
  const Result<OpWindow> w = OpWindowOf(options, 1);
  if (!w.ok()) return FailedOutput(graph, w.status());
  const int axis = ExtraAxis(options);
  const Output x = ExpandDims(graph, images, axis);
  if (!x.valid()) return x;
  // A depthwise window needs equal strides in both dimensions. The added dimension has size 1, so its stride does not
  // matter.
  const int64_t stride = w->strides[static_cast<size_t>(axis) + 1];
  const WindowOptions plane{.strides = {stride, stride},
                            .dilations = {1, w->dilations[static_cast<size_t>(axis) + 1]},
                            .padding = options.padding,
                            .data_format = w->format};
  const Output y = ConvolveSeparable(graph, x, ExpandDims(graph, ValueOf(graph, depthwise), 0),
                                     ExpandDims(graph, ValueOf(graph, pointwise), 0), plane);
  return Squeeze(graph, y, {.squeeze_dims = {axis}});
}

namespace {

// Dilated pooling: moves the values that lie `dilations` apart into separate images and pools those without dilation.
Output DilatedPool(Graph& graph, const Input& images, PoolKind kind, const std::vector<int64_t>& window, int dims,
                   const WindowOptions& options) {
  const bool first = ChannelsFirst(options);
  NameScope scope(graph, NameOrDefault(options.name, kind == PoolKind::kMax ? "max_pool" : "avg_pool"));
  const Result<OpWindow> w = OpWindowOf(options, dims);
  if (!w.ok()) return FailedOutput(graph, w.status());
  if (options.padding != "VALID")
    return FailedOutput(graph, InvalidArgument("pooling with '{}' padding is not implemented for `dilation_rate` > 1",
                                               options.padding));
  if (std::any_of(w->strides.begin(), w->strides.end(), [](int64_t s) { return s != 1; }))
    return FailedOutput(graph, InvalidArgument("strides > 1 not supported in conjunction with dilation_rate > 1"));
  const Output x = ValueOf(graph, images, kInvalidType, "input");
  if (!x.valid()) return x;
  // Block sizes of the dimensions from the first after the batch to the last spatial one. The dimension that the op
  // adds to one-dimensional images is not among them.
  std::vector<int64_t> block = first ? std::vector<int64_t>{1} : std::vector<int64_t>{};
  const size_t begin = w->dilations.size() - static_cast<size_t>(dims) - (first ? 0 : 1);
  for (int i = 0; i < dims; ++i) block.push_back(w->dilations[begin + static_cast<size_t>(i)]);
  const auto end = static_cast<int64_t>(block.size()) + 1;
  const Output sizes = StridedSlice(graph, ShapeValue(graph, x), {1}, std::vector<int64_t>{end}, {1});
  const BatchPaddings paddings = SpaceToBatchPaddings(graph, sizes, block);
  const Output spread = SpaceToBatchND(graph, x, block, paddings.paddings);
  if (!spread.valid()) return spread;
  WindowOptions within = options;
  within.dilations = {};
  within.name = "";
  const Output pooled = Pool(graph, spread, kind, window, dims, within);
  if (!pooled.valid()) return pooled;
  return BatchToSpaceND(graph, pooled, block, paddings.crops);
}

}  // namespace

Output Pool(Graph& graph, const Input& images, PoolKind kind, const std::vector<int64_t>& window, int dims,
            const WindowOptions& options) {
  const bool max = kind == PoolKind::kMax;
  Result<OpWindow> w = OpWindowOf(options, dims);
  if (!w.ok()) return FailedOutput(graph, w.status());
  if (std::any_of(w->dilations.begin(), w->dilations.end(), [](int64_t d) { return d != 1; }))
    return DilatedPool(graph, images, kind, window, dims, options);
  Result<std::vector<int64_t>> size = ExpandToDimensions(window, dims, ChannelsFirst(options), "ksize");
  if (!size.ok()) return FailedOutput(graph, size.status());
  const std::string& padding = options.padding;
  if (dims == 3) {
    if (max)
      return MaxPool3D(graph, images, *size, w->strides, padding, {.data_format = w->format, .name = options.name});
    return AvgPool3D(graph, images, *size, w->strides, padding, {.data_format = w->format, .name = options.name});
  }
  if (dims == 2) {
    if (max && std::find(size->begin(), size->end(), 0) != size->end())
      return FailedOutput(graph,
                          InvalidArgument("`ksize` cannot be zero. Received: ksize=[{}]", fmt::join(*size, ", ")));
    if (max)
      return MaxPool(graph, images, *size, w->strides, padding, {.data_format = w->format, .name = options.name});
    return AvgPool(graph, images, *size, w->strides, padding, {.data_format = w->format, .name = options.name});
  }
  NameScope scope(graph, NameOrDefault(options.name, max ? "MaxPool1d" : "AvgPool1D"));
  const int axis = ExtraAxis(options);
  Output x = ExpandDims(graph, images, axis);
  Output y = max ? MaxPool(graph, x, *size, w->strides, padding, {.data_format = w->format})
                 : AvgPool(graph, x, *size, w->strides, padding, {.data_format = w->format});
  return Squeeze(graph, y, {.squeeze_dims = {axis}});
}

Output PoolAnyRank(Graph& graph, const Input& images, PoolKind kind, const std::vector<int64_t>& window,
                   const WindowOptions& options) {
  Output x = ValueOf(graph, images, kInvalidType, "input");
  if (!x.valid()) return Output::Failed(graph);
  Result<int> dims = SpatialDims(x);
  if (!dims.ok()) return FailedOutput(graph, dims.status());
  WindowOptions named = options;
  named.name = NameOrDefault(options.name, kind == PoolKind::kMax ? "max_pool" : "avg_pool");
  return Pool(graph, x, kind, window, *dims, named);
}

BatchNormResult FusedBatchNormalization(Graph& graph, const Input& x, const Input& scale, const Input& offset,
                                        const Input& mean, const Input& variance, const BatchNormOptions& options) {
  const BatchNormResult failed{Output::Failed(graph), Output::Failed(graph), Output::Failed(graph)};
  auto refused = [&](const Status& why) {
    graph.RecordError(why);
    return failed;
  };
  const bool given = !mean.absent() || !variance.absent();
  if (options.is_training && given)
    return refused(InvalidArgument("Both 'mean' and 'variance' must be None if is_training is True."));
  if (!options.is_training && (mean.absent() || variance.absent()))
    return refused(InvalidArgument("Both 'mean' and 'variance' must be given if is_training is False."));
  Output images = ValueOf(graph, x, kInvalidType, "input");
  Output s = ValueOf(graph, scale, kInvalidType, "scale");
  Output o = ValueOf(graph, offset, kInvalidType, "offset");
  const Tensor none = Tensor::Vector<float>(std::initializer_list<float>{});
  Output m = ValueOf(graph, given ? mean : Input(none));
  Output v = ValueOf(graph, given ? variance : Input(none));
  if (!images.valid() || !s.valid() || !o.valid() || !m.valid() || !v.valid()) return failed;
  // TensorFlow's minimum epsilon, for equal results.
  constexpr float kMinEpsilon = 1.001e-5f;
  const auto r = FusedBatchNormV3(graph, images, s, o, m, v,
                                  {.epsilon = std::max(options.epsilon, kMinEpsilon),
                                   .data_format = options.data_format,
                                   .is_training = options.is_training,
                                   .name = options.name});
  return {r.y, r.batch_mean, r.batch_variance};
}

Output Erosion(Graph& graph, const Input& value_in, const Input& kernel_in, const std::vector<int64_t>& strides,
               const std::vector<int64_t>& rates, const std::string& padding, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "erosion2d"));
  const Output value = ValueOf(graph, value_in, kInvalidType, "value");
  if (!value.valid()) return value;
  const Output kernel = ValueOf(graph, kernel_in, value.base_dtype(), "kernel");
  if (!kernel.valid()) return kernel;
  const Output mirrored = ReverseV2(graph, kernel, {0, 1});
  return Neg(graph, Dilation2D(graph, Neg(graph, value), mirrored, strides, rates, padding),
             {.name = ExactScopeName(scope)});
}

}  // namespace weir

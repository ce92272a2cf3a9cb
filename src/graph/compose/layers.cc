#include "graph/compose/layers.h"

#include "graph/compose/default_scope.h"
#include "graph/compose/dims.h"
#include "graph/compose/layer.h"
#include "graph/graph_keys.h"

namespace weir::layers {
namespace {

// The name of a user's layer, and the settings of its variables.
struct LayerCall {
  const char* kind;  // default name
  std::string name;
  std::optional<Reuse> reuse = {};
  std::map<std::string, Weight> weights = {};
  bool trainable = true;
  Input training = false;
};

// The name and variable scopes of a layer while it is applied to x.
class LayerScope final {
 public:
  LayerScope(Output x, const LayerCall& call)
      : scope_(x.graph(), call.name.empty() && call.reuse == Reuse::kYes ? call.kind : call.name, call.kind,
               call.reuse) {}
  std::string name() const { return scope_.scope().name; }

 private:
  DefaultScope scope_;
};

// Calls `build`; an error is recorded in the graph.
template <class F>
Output Built(Output x, const F& build) {
  if (!x.valid()) return x;
  Result<Output> y = build();
  return y.ok() ? *y : FailedOutput(x.graph(), y.status());
}

// Gets or creates the variables of a layer and applies it.
Output ApplyLayer(Output x, Layer& layer, const LayerCall& call, const Activation& activation = {}) {
  return Built(x, [&]() -> Result<Output> {
    Graph& graph = x.graph();
    const LayerScope scope(x, call);
    WEIR_ASSIGN(const std::vector<WeightSpec> specs, layer.Build(x.shape(), x.base_dtype(), scope.name()));
    WEIR_ASSIGN(const WeightValues weights, GetWeights(graph, specs, call.weights, call.trainable));
    const LayerResult result = layer.Apply(x, weights, call.training);
    for (const Output& update : result.updates) graph.collections().Add(graph_keys::kUpdateOps, update);
    return activation(result.y);
  });
}

Result<ImageWindow> WindowFor(int dims, const Sizes& strides, const Sizes& dilations, const std::string& padding,
                              const std::string& data_format) {
  ImageWindow window{.dims = dims};
  WEIR_ASSIGN(window.strides, SizesFor(dims, strides.all(), "strides"));
  WEIR_ASSIGN(window.dilations, SizesFor(dims, dilations.all(), "dilation_rate"));
  WEIR_ASSIGN(window.padding, PaddingFor(padding));
  WEIR_ASSIGN(window.channels_first, IsChannelsFirst(data_format));
  return window;
}

Status CheckPositive(int64_t value, const char* what) {
  if (value > 0) return OkStatus();
  return InvalidArgument("the `{}` argument must be positive, but is {}", what, value);
}

// A checked layer. `Options` is ConvOptions or SeparableConvOptions.
template <class Options>
Result<ConvSettings> ConvSettingsFor(ConvKind kind, int dims, int64_t filters, const Sizes& kernel_size,
                                     const Options& options) {
  ConvSettings settings{.kind = kind, .filters = filters, .use_bias = options.use_bias};
  WEIR_ASSIGN(settings.window,
              WindowFor(dims, options.strides, options.dilation_rate, options.padding, options.data_format));
  WEIR_ASSIGN(settings.kernel_size, SizesFor(dims, kernel_size.all(), "kernel_size"));
  WEIR_TRY(CheckPositive(filters, "filters"));
  return settings;
}

Output Conv(Output x, int dims, const char* kind, bool transposed, int64_t filters, const Sizes& kernel_size,
            const ConvOptions& options) {
  return Built(x, [&]() -> Result<Output> {
    WEIR_ASSIGN(ConvSettings settings, ConvSettingsFor(transposed ? ConvKind::kTransposed : ConvKind::kPlain, dims,
                                                       filters, kernel_size, options));
    ConvLayer layer(std::move(settings));
    return ApplyLayer(x, layer,
                      {.kind = kind,
                       .name = options.name,
                       .reuse = options.reuse,
                       .weights = {{"kernel", options.kernel}, {"bias", options.bias}},
                       .trainable = options.trainable},
                      options.activation);
  });
}

Output Separable(Output x, int dims, const char* kind, int64_t filters, const Sizes& kernel_size,
                 const SeparableConvOptions& options) {
  return Built(x, [&]() -> Result<Output> {
    WEIR_ASSIGN(ConvSettings settings, ConvSettingsFor(ConvKind::kSeparable, dims, filters, kernel_size, options));
    WEIR_TRY(CheckPositive(options.depth_multiplier, "depth_multiplier"));
    settings.depth_multiplier = options.depth_multiplier;
    ConvLayer layer(std::move(settings));
    return ApplyLayer(x, layer,
                      {.kind = kind,
                       .name = options.name,
                       .reuse = options.reuse,
                       .weights = {{"depthwise_kernel", options.depthwise},
                                   {"pointwise_kernel", options.pointwise},
                                   {"bias", options.bias}},
                       .trainable = options.trainable},
                      options.activation);
  });
}

Output Pooling(Output x, PoolKind pool, int dims, const char* kind, const Sizes& pool_size, const Sizes& strides,
               const PoolingOptions& options) {
  return Built(x, [&]() -> Result<Output> {
    WEIR_ASSIGN(const ImageWindow window, WindowFor(dims, strides, 1, options.padding, options.data_format));
    WEIR_ASSIGN(const std::vector<int64_t> size, SizesFor(dims, pool_size.all(), "pool_size"));
    const LayerScope scope(x, {.kind = kind, .name = options.name});
    return ApplyPooling(x, pool, size, window);
  });
}

}  // namespace

Output Dense(Output x, int64_t units, const DenseOptions& options) {
  return Built(x, [&]() -> Result<Output> {
    WEIR_TRY(CheckPositive(units, "units"));
    DenseLayer layer(units, options.use_bias);
    return ApplyLayer(x, layer,
                      {.kind = "dense",
                       .name = options.name,
                       .reuse = options.reuse,
                       .weights = {{"kernel", options.kernel}, {"bias", options.bias}},
                       .trainable = options.trainable},
                      options.activation);
  });
}

Output Conv1D(Output x, int64_t filters, const Sizes& kernel_size, const ConvOptions& options) {
  return Conv(x, 1, "conv1d", false, filters, kernel_size, options);
}
Output Conv2D(Output x, int64_t filters, const Sizes& kernel_size, const ConvOptions& options) {
  return Conv(x, 2, "conv2d", false, filters, kernel_size, options);
}
Output Conv3D(Output x, int64_t filters, const Sizes& kernel_size, const ConvOptions& options) {
  return Conv(x, 3, "conv3d", false, filters, kernel_size, options);
}
Output Conv2DTranspose(Output x, int64_t filters, const Sizes& kernel_size, const ConvOptions& options) {
  return Conv(x, 2, "conv2d_transpose", true, filters, kernel_size, options);
}
Output Conv3DTranspose(Output x, int64_t filters, const Sizes& kernel_size, const ConvOptions& options) {
  return Conv(x, 3, "conv3d_transpose", true, filters, kernel_size, options);
}

Output SeparableConv1D(Output x, int64_t filters, const Sizes& kernel_size, const SeparableConvOptions& options) {
  return Separable(x, 1, "separable_conv1d", filters, kernel_size, options);
}
Output SeparableConv2D(Output x, int64_t filters, const Sizes& kernel_size, const SeparableConvOptions& options) {
  return Separable(x, 2, "separable_conv2d", filters, kernel_size, options);
}

Output MaxPooling1D(Output x, const Sizes& pool_size, const Sizes& strides, const PoolingOptions& options) {
  return Pooling(x, PoolKind::kMax, 1, "max_pooling1d", pool_size, strides, options);
}
Output MaxPooling2D(Output x, const Sizes& pool_size, const Sizes& strides, const PoolingOptions& options) {
  return Pooling(x, PoolKind::kMax, 2, "max_pooling2d", pool_size, strides, options);
}
Output MaxPooling3D(Output x, const Sizes& pool_size, const Sizes& strides, const PoolingOptions& options) {
  return Pooling(x, PoolKind::kMax, 3, "max_pooling3d", pool_size, strides, options);
}
Output AveragePooling1D(Output x, const Sizes& pool_size, const Sizes& strides, const PoolingOptions& options) {
  return Pooling(x, PoolKind::kAverage, 1, "average_pooling1d", pool_size, strides, options);
}
Output AveragePooling2D(Output x, const Sizes& pool_size, const Sizes& strides, const PoolingOptions& options) {
  return Pooling(x, PoolKind::kAverage, 2, "average_pooling2d", pool_size, strides, options);
}
Output AveragePooling3D(Output x, const Sizes& pool_size, const Sizes& strides, const PoolingOptions& options) {
  return Pooling(x, PoolKind::kAverage, 3, "average_pooling3d", pool_size, strides, options);
}

Output Flatten(Output x, const FlattenOptions& options) {
  return Built(x, [&]() -> Result<Output> {
    WEIR_ASSIGN(const bool channels_first, IsChannelsFirst(options.data_format));
    const LayerScope scope(x, {.kind = "flatten", .name = options.name});
    return ApplyFlatten(x, channels_first);
  });
}

Output Dropout(Output x, const DropoutOptions& options) {
  return Built(x, [&]() -> Result<Output> {
    const LayerScope scope(x, {.kind = "dropout", .name = options.name});
    return ApplyDropout(x, options.rate, options.noise_shape, options.seed, options.training);
  });
}

Output BatchNormalization(Output x, const BatchNormalizationOptions& options) {
  BatchNormLayer layer({.axis = options.axis,
                        .momentum = options.momentum,
                        .epsilon = options.epsilon,
                        .center = options.center,
                        .scale = options.scale,
                        .fused = options.fused});
  return ApplyLayer(x, layer,
                    {.kind = "batch_normalization",
                     .name = options.name,
                     .reuse = options.reuse,
                     .weights = {{"gamma", options.gamma},
                                 {"beta", options.beta},
                                 {"moving_mean", {.initializer = options.moving_mean}},
                                 {"moving_variance", {.initializer = options.moving_variance}}},
                     .trainable = options.trainable,
                     .training = options.training});
}

std::vector<Node*> UpdateOps(const Graph& graph) {
  std::vector<Node*> nodes = graph.collections().Of<Node*>(graph_keys::kUpdateOps);
  for (const Output& update : graph.collections().Of<Output>(graph_keys::kUpdateOps)) nodes.push_back(update.node);
  return nodes;
}

}  // namespace weir::layers

#include "graph/compose/layers.h"

#include "graph/compose/apply_layer.h"
#include "graph/compose/dims.h"
#include "graph/graph_keys.h"

namespace weir::layers {
namespace {

// The name and variable scopes of a layer while it is applied to x, and access to its variables.
class LayerScope final {
 public:
  LayerScope(Output x, const std::string& name, const char* kind, std::optional<Reuse> reuse, bool trainable = true)
      : graph_(x.graph()),
        dtype_(x.base_dtype()),
        trainable_(trainable),
        scope_(graph_, NameFor(graph_, name, kind, reuse), reuse) {}

  // `otherwise` is the default initializer.
  Result<FoundVariable> Get(const char* name, const PartialShape& shape, const Weight& weight,
                            const ScopedInitializer& otherwise = {}, DType dtype = kInvalidType,
                            bool trainable = true) {
    VariableRequest request;
    request.name = name;
    request.shape = shape;
    request.dtype = dtype == kInvalidType ? dtype_ : dtype;
    const ScopedInitializer& initializer = weight.initializer ? weight.initializer : otherwise;
    if (initializer) request.initializer = std::make_shared<const ScopedInitializer>(initializer);
    if (weight.regularizer) request.regularizer = std::make_shared<const Regularizer>(weight.regularizer);
    request.constraint = weight.constraint;
    request.trainable = trainable && trainable_;
    VariableScopeStack scopes(graph_);
    VariableScope scope = scopes.Current();
    if (!trainable) scope.settings.partitioner = nullptr;  // never partition what the layer updates itself
    return scopes.GetBelow(scope, std::move(request));
  }
  Result<Input> Value(const char* name, const PartialShape& shape, const Weight& weight,
                      const ScopedInitializer& otherwise = {}, DType dtype = kInvalidType) {
    WEIR_ASSIGN(const FoundVariable found, Get(name, shape, weight, otherwise, dtype));
    return ValueOfFound(found);
  }
  static Input ValueOfFound(const FoundVariable& found) {
    if (found.whole != nullptr) return found.whole->AsInput();
    return found.pieces != nullptr ? found.pieces->AsInput() : found.value;
  }
  Result<Input> Bias(bool use, int64_t size, const Weight& weight) {
    if (!use) return Input();
    return Value("bias", PartialShape{size}, weight, ZerosInitializer());
  }
  std::string name() const { return scope_.scope().name; }

 private:
  static std::string NameFor(Graph& graph, const std::string& name, const char* kind, std::optional<Reuse> reuse) {
    if (!name.empty()) return name;
    return reuse == Reuse::kYes ? kind : VariableScopeStack(graph).UniqueScopeName(kind);
  }

  Graph& graph_;
  const DType dtype_;
  const bool trainable_;
  VariableScopeGuard scope_;
};

// Calls `build`; an error is recorded in the graph.
template <class F>
Output Built(Output x, const F& build) {
  if (!x.valid()) return x;
  Result<Output> y = build();
  return y.ok() ? *y : FailedOutput(x.graph(), y.status());
}

Result<Window> WindowFor(int dims, const Sizes& strides, const Sizes& dilations, const std::string& padding,
                         const std::string& data_format) {
  Window window{.dims = dims};
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

PartialShape KernelShape(const std::vector<int64_t>& spatial, int64_t second_last, int64_t last) {
  PartialShape shape = PartialShape::Scalar();
  for (const int64_t size : spatial) shape.AddDim(size);
  shape.AddDim(second_last);
  shape.AddDim(last);
  return shape;
}

Output Conv(Output x, int dims, const char* kind, bool transposed, int64_t filters, const Sizes& kernel_size,
            const ConvOptions& options) {
  return Built(x, [&]() -> Result<Output> {
    WEIR_ASSIGN(const Window window,
                WindowFor(dims, options.strides, options.dilation_rate, options.padding, options.data_format));
    WEIR_ASSIGN(const std::vector<int64_t> size, SizesFor(dims, kernel_size.all(), "kernel_size"));
    WEIR_TRY(CheckPositive(filters, "filters"));
    LayerScope scope(x, options.name, kind, options.reuse, options.trainable);
    WEIR_ASSIGN(const int64_t channels, ChannelsOf(x.shape(), window.channels_first ? 1 : -1, scope.name()));
    const PartialShape shape = transposed ? KernelShape(size, filters, channels) : KernelShape(size, channels, filters);
    WEIR_ASSIGN(const Input kernel, scope.Value("kernel", shape, options.kernel));
    WEIR_ASSIGN(const Input bias, scope.Bias(options.use_bias, filters, options.bias));
    return options.activation(transposed ? ApplyTransposed(x, kernel, bias, filters, size, window)
                                         : ApplyConvolution(x, kernel, bias, window));
  });
}

Output Pooling(Output x, PoolKind pool, int dims, const char* kind, const Sizes& pool_size, const Sizes& strides,
               const PoolingOptions& options) {
  return Built(x, [&]() -> Result<Output> {
    WEIR_ASSIGN(const Window window, WindowFor(dims, strides, 1, options.padding, options.data_format));
    WEIR_ASSIGN(const std::vector<int64_t> size, SizesFor(dims, pool_size.all(), "pool_size"));
    LayerScope scope(x, options.name, kind, {});
    return ApplyPooling(x, pool, size, window);
  });
}

Output Separable(Output x, int dims, const char* layer, int64_t filters, const Sizes& kernel_size,
                 const SeparableConvOptions& options) {
  return Built(x, [&]() -> Result<Output> {
    WEIR_ASSIGN(const Window window,
                WindowFor(dims, options.strides, options.dilation_rate, options.padding, options.data_format));
    WEIR_ASSIGN(const std::vector<int64_t> size, SizesFor(dims, kernel_size.all(), "kernel_size"));
    WEIR_TRY(CheckPositive(filters, "filters"));
    WEIR_TRY(CheckPositive(options.depth_multiplier, "depth_multiplier"));
    LayerScope scope(x, options.name, layer, options.reuse, options.trainable);
    WEIR_ASSIGN(const int64_t channels, ChannelsOf(x.shape(), window.channels_first ? 1 : -1, scope.name()));
    int64_t deep = 0;
    if (__builtin_mul_overflow(channels, options.depth_multiplier, &deep))
      return InvalidArgument("layer {} has too many channels", scope.name());
    WEIR_ASSIGN(
        const Input depthwise,
        scope.Value("depthwise_kernel", KernelShape(size, channels, options.depth_multiplier), options.depthwise));
    const std::vector<int64_t> single(static_cast<size_t>(dims), 1);
    WEIR_ASSIGN(const Input pointwise,
                scope.Value("pointwise_kernel", KernelShape(single, deep, filters), options.pointwise));
    WEIR_ASSIGN(const Input bias, scope.Bias(options.use_bias, filters, options.bias));
    return options.activation(ApplySeparable(x, depthwise, pointwise, bias, window));
  });
}

}  // namespace

Output Dense(Output x, int64_t units, const DenseOptions& options) {
  return Built(x, [&]() -> Result<Output> {
    WEIR_TRY(CheckPositive(units, "units"));
    LayerScope scope(x, options.name, "dense", options.reuse, options.trainable);
    WEIR_ASSIGN(const int64_t channels, ChannelsOf(x.shape(), -1, scope.name()));
    WEIR_ASSIGN(const Input kernel, scope.Value("kernel", PartialShape{channels, units}, options.kernel));
    WEIR_ASSIGN(const Input bias, scope.Bias(options.use_bias, units, options.bias));
    return options.activation(ApplyDense(x, kernel, bias));
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
    LayerScope scope(x, options.name, "flatten", {});
    return ApplyFlatten(x, channels_first);
  });
}

Output Dropout(Output x, const DropoutOptions& options) {
  return Built(x, [&]() -> Result<Output> {
    LayerScope scope(x, options.name, "dropout", {});
    return ApplyDropout(x, options.rate, options.noise_shape, options.seed, options.training);
  });
}

Output BatchNormalization(Output x, const BatchNormalizationOptions& options) {
  return Built(x, [&]() -> Result<Output> {
    LayerScope scope(x, options.name, "batch_normalization", options.reuse, options.trainable);
    WEIR_ASSIGN(const NormPlan plan, PlanNorm(x.shape(), x.base_dtype(), options.axis, options.fused, scope.name()));
    const PartialShape shape{plan.channels};
    NormWeights weights;
    if (options.scale) {
      WEIR_ASSIGN(weights.gamma, scope.Value("gamma", shape, options.gamma, OnesInitializer(), plan.dtype));
    }
    if (options.center) {
      WEIR_ASSIGN(weights.beta, scope.Value("beta", shape, options.beta, ZerosInitializer(), plan.dtype));
    }
    WEIR_ASSIGN(const FoundVariable mean, scope.Get("moving_mean", shape, {.initializer = options.moving_mean},
                                                    ZerosInitializer(), plan.dtype, /*trainable=*/false));
    WEIR_ASSIGN(const FoundVariable variance,
                scope.Get("moving_variance", shape, {.initializer = options.moving_variance}, OnesInitializer(),
                          plan.dtype, /*trainable=*/false));
    weights.moving_mean = LayerScope::ValueOfFound(mean);
    weights.moving_variance = LayerScope::ValueOfFound(variance);
    weights.mean_variable = mean.whole;
    weights.variance_variable = variance.whole;
    const NormResult result = ApplyNorm(x, plan, weights, options.momentum, options.epsilon, options.training);
    for (const Output& update : result.updates) x.graph().collections().Add(graph_keys::kUpdateOps, update);
    return result.y;
  });
}

std::vector<Node*> UpdateOps(const Graph& graph) {
  std::vector<Node*> nodes = graph.collections().Of<Node*>(graph_keys::kUpdateOps);
  for (const Output& update : graph.collections().Of<Output>(graph_keys::kUpdateOps)) nodes.push_back(update.node);
  return nodes;
}

}  // namespace weir::layers

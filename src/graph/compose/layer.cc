#include "graph/compose/layer.h"

#include "graph/compose/dims.h"
#include "graph/compose/names.h"
#include "graph/compose/weights.h"

namespace weir::layers {
namespace {

PartialShape KernelShape(const std::vector<int64_t>& spatial, int64_t second_last, int64_t last) {
  PartialShape shape = PartialShape::Scalar();
  for (const int64_t size : spatial) shape.AddDim(size);
  shape.AddDim(second_last);
  shape.AddDim(last);
  return shape;
}

void AddBias(std::vector<WeightSpec>& specs, int64_t size, DType dtype) {
  specs.push_back({.name = "bias", .shape = PartialShape{size}, .dtype = dtype, .initializer = ZerosInitializer()});
}

}  // namespace

Result<std::vector<WeightSpec>> DenseLayer::Build(const PartialShape& shape, DType dtype, const std::string& name) {
  WEIR_ASSIGN(const int64_t channels, ChannelsOf(shape, -1, name));
  std::vector<WeightSpec> specs = {{.name = "kernel", .shape = PartialShape{channels, units_}, .dtype = dtype}};
  if (use_bias_) AddBias(specs, units_, dtype);
  return specs;
}

LayerResult DenseLayer::Apply(Output x, const WeightValues& weights, const Input&) const {
  return {ApplyDense(x, weights["kernel"], weights["bias"]), {}};
}

Result<std::vector<WeightSpec>> ConvLayer::Build(const PartialShape& shape, DType dtype, const std::string& name) {
  const auto& [kind, window, filters, size, use_bias, depth_multiplier] = settings_;
  WEIR_ASSIGN(const int64_t channels, ChannelsOf(shape, window.channels_first ? 1 : -1, name));
  std::vector<WeightSpec> specs;
  const auto add = [&](const char* weight, const PartialShape& kernel) {
    specs.push_back({.name = weight, .shape = kernel, .dtype = dtype});
  };
  int64_t deep = 0;
  if (kind == ConvKind::kSeparable || kind == ConvKind::kDepthwise) {
    if (__builtin_mul_overflow(channels, depth_multiplier, &deep))
      return InvalidArgument("layer {} has too many channels", name);
    add("depthwise_kernel", KernelShape(size, channels, depth_multiplier));
    if (kind == ConvKind::kSeparable)
      add("pointwise_kernel", KernelShape(std::vector<int64_t>(size.size(), 1), deep, filters));
  } else {
    add("kernel",
        kind == ConvKind::kTransposed ? KernelShape(size, filters, channels) : KernelShape(size, channels, filters));
  }
  if (use_bias) AddBias(specs, kind == ConvKind::kDepthwise ? deep : filters, dtype);
  return specs;
}

LayerResult ConvLayer::Apply(Output x, const WeightValues& weights, const Input&) const {
  const Input kernel = weights["kernel"], bias = weights["bias"];
  const ImageWindow& window = settings_.window;
  switch (settings_.kind) {
    case ConvKind::kPlain:
      break;
    case ConvKind::kTransposed:
      return {ApplyTransposed(x, kernel, bias, settings_.filters, settings_.kernel_size, window), {}};
    case ConvKind::kSeparable:
      return {ApplySeparable(x, weights["depthwise_kernel"], weights["pointwise_kernel"], bias, window), {}};
    case ConvKind::kDepthwise:
      return {ApplyDepthwise(x, weights["depthwise_kernel"], bias, window), {}};
  }
  return {ApplyConvolution(x, kernel, bias, window), {}};
}

Result<std::vector<WeightSpec>> BatchNormLayer::Build(const PartialShape& shape, DType dtype, const std::string& name) {
  WEIR_ASSIGN(plan_, PlanNorm(shape, dtype, settings_.axis, settings_.fused, name, settings_.renorm.has_value(),
                              settings_.virtual_batch_size));
  std::vector<WeightSpec> specs;
  const auto add = [&](const char* weight, ScopedInitializer initializer, bool trainable) {
    specs.push_back({.name = weight,
                     .shape = plan_->weights,
                     .dtype = plan_->dtype,
                     .initializer = std::move(initializer),
                     .trainable = trainable});
  };
  if (settings_.scale) add("gamma", OnesInitializer(), true);
  if (settings_.center) add("beta", ZerosInitializer(), true);
  add("moving_mean", ZerosInitializer(), false);
  add("moving_variance", OnesInitializer(), false);
  if (settings_.renorm.has_value()) {
    add("moving_stddev", OnesInitializer(), false);
    add("renorm_mean", ZerosInitializer(), false);
    add("renorm_stddev", OnesInitializer(), false);
  }
  return specs;
}

LayerResult BatchNormLayer::Apply(Output x, const WeightValues& weights, const Input& training) const {
  if (!plan_.has_value())
    return {FailedOutput(x.graph(),
                         FailedPrecondition("batch normalization of '{}': the layer has not been built", x.name())),
            {}};
  return ApplyNorm(x, *plan_,
                   {.gamma = weights["gamma"],
                    .beta = weights["beta"],
                    .moving_mean = weights["moving_mean"],
                    .moving_variance = weights["moving_variance"],
                    .mean_variable = weights.variable("moving_mean"),
                    .variance_variable = weights.variable("moving_variance"),
                    .moving_stddev = weights.variable("moving_stddev"),
                    .renorm_mean = weights.variable("renorm_mean"),
                    .renorm_stddev = weights.variable("renorm_stddev")},
                   settings_.momentum, settings_.epsilon, training, settings_.renorm);
}

}  // namespace weir::layers

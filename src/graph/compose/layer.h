// Layers that have variables, as objects: a layer lists the variables that it needs for an input (Build) and computes
// its output from their values (Apply). layers.h has functions that do both.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/compose/apply_layer.h"
#include "graph/compose/layer_weights.h"

namespace weir::layers {

// Not thread-safe. A layer has no reference to a graph.
class Layer {
 public:
  virtual ~Layer() = default;
  // The variables for inputs of this shape and type, in creation order. `name` is for errors.
  virtual Result<std::vector<WeightSpec>> Build(const PartialShape& shape, DType dtype, const std::string& name) = 0;
  // `training` is a bool, possibly known only at run time. Errors are recorded in the graph's build state.
  virtual LayerResult Apply(Output x, const WeightValues& weights, const Input& training) const = 0;
};

// Variables "kernel" and "bias".
class DenseLayer final : public Layer {
 public:
  DenseLayer(int64_t units, bool use_bias) : units_(units), use_bias_(use_bias) {}
  Result<std::vector<WeightSpec>> Build(const PartialShape& shape, DType dtype, const std::string& name) override;
  LayerResult Apply(Output x, const WeightValues& weights, const Input& training) const override;

 private:
  const int64_t units_;
  const bool use_bias_;
};

enum class ConvKind { kPlain, kTransposed, kSeparable, kDepthwise };
struct ConvSettings {
  ConvKind kind = ConvKind::kPlain;
  ImageWindow window = {};
  int64_t filters = 0;                    // kDepthwise: unused
  std::vector<int64_t> kernel_size = {};  // one per dimension
  bool use_bias = true;
  int64_t depth_multiplier = 1;  // kSeparable, kDepthwise: depthwise filters per channel
};
// Variables "kernel" and "bias"; kSeparable: "depthwise_kernel", "pointwise_kernel" and "bias"; kDepthwise:
// "depthwise_kernel" and "bias".
class ConvLayer final : public Layer {
 public:
  explicit ConvLayer(ConvSettings settings) : settings_(std::move(settings)) {}
  Result<std::vector<WeightSpec>> Build(const PartialShape& shape, DType dtype, const std::string& name) override;
  LayerResult Apply(Output x, const WeightValues& weights, const Input& training) const override;

 private:
  const ConvSettings settings_;
};

struct NormSettings {
  int64_t axis = -1;  // channel axis
  double momentum = 0.99;
  double epsilon = 1e-3;
  bool center = true;
  bool scale = true;
  std::optional<bool> fused = {};  // default: where possible
  std::optional<Renorm> renorm = {};
  std::optional<int64_t> virtual_batch_size = {};
};
// Variables "gamma", "beta", "moving_mean" and "moving_variance"; with renorm, "moving_stddev", "renorm_mean" and
// "renorm_stddev". Training gives updates of all but the first two.
class BatchNormLayer final : public Layer {
 public:
  explicit BatchNormLayer(NormSettings settings) : settings_(settings) {}
  Result<std::vector<WeightSpec>> Build(const PartialShape& shape, DType dtype, const std::string& name) override;
  LayerResult Apply(Output x, const WeightValues& weights, const Input& training) const override;

 private:
  const NormSettings settings_;
  std::optional<NormPlan> plan_;  // set by Build
};

}  // namespace weir::layers

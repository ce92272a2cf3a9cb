// Layers: each function gets or creates the variables of a layer in its own variable scope and applies the layer, with
// the names, shapes and defaults of tf.layers ("conv2d/kernel", "conv2d/bias", "conv2d_1/kernel", ...).
//
//   Output x = layers::Conv2D(images, 32, 5, {.padding = "same", .activation = Relu});
//   x = layers::Flatten(layers::MaxPooling2D(x, 2, 2));
//   Output logits = layers::Dense(x, 10, {.kernel = {.regularizer = L2Regularizer(1e-4)}, .name = "logits"});
//
// A layer with the name of another one and .reuse = Reuse::kYes shares its variables. Errors are recorded in the
// graph's build state; the result is then invalid.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weir/graph/compose/layer_weights.h"
#include "weir/graph/compose/weights.h"

namespace weir::layers {

using weir::Weight;

// The activation function of a layer: a building function (Relu, Tanh, ...) or any function of an Output. Default:
// identity.
class Activation final {
 public:
  Activation() = default;
  template <class Attrs>
  Activation(Output (*build)(const Input&, const Attrs&))
      : function_([build](Output x) { return build(x, Attrs{}); }) {}
  template <class F, class = std::enable_if_t<std::is_invocable_r_v<Output, F, Output>>>
  Activation(F function) : function_(std::move(function)) {}
  Output operator()(Output x) const { return function_ && x.valid() ? function_(x) : x; }

 private:
  std::function<Output(Output)> function_;
};

// One size for all dimensions, or one for each.
class Sizes final {
 public:
  Sizes(int size) : sizes_{size} {}
  Sizes(int64_t size) : sizes_{size} {}
  Sizes(std::initializer_list<int64_t> sizes) : sizes_(sizes) {}
  Sizes(std::vector<int64_t> sizes) : sizes_(std::move(sizes)) {}
  const std::vector<int64_t>& all() const { return sizes_; }

 private:
  std::vector<int64_t> sizes_;
};

struct DenseOptions {
  Activation activation = {};
  bool use_bias = true;
  Weight kernel = {};
  Weight bias = {};
  bool trainable = true;
  std::string name = "";  // default: the kind of the layer, made unique
  std::optional<Reuse> reuse = {};
};
// [..., in] to [..., units]: x * kernel + bias.
Output Dense(Output x, int64_t units, const DenseOptions& options = {});

struct ConvOptions {
  Sizes strides = 1;
  std::string padding = "valid";              // or "same"
  std::string data_format = "channels_last";  // or "channels_first"
  Sizes dilation_rate = 1;
  Activation activation = {};
  bool use_bias = true;
  Weight kernel = {};
  Weight bias = {};
  bool trainable = true;
  std::string name = "";
  std::optional<Reuse> reuse = {};
};
// Convolution with one to three spatial dimensions; `filters` output channels.
Output Conv1D(Output x, int64_t filters, const Sizes& kernel_size, const ConvOptions& options = {});
Output Conv2D(Output x, int64_t filters, const Sizes& kernel_size, const ConvOptions& options = {});
Output Conv3D(Output x, int64_t filters, const Sizes& kernel_size, const ConvOptions& options = {});
// Transposed convolution (the gradient of a convolution), which increases the spatial size. Dilation is not supported.
Output Conv2DTranspose(Output x, int64_t filters, const Sizes& kernel_size, const ConvOptions& options = {});
Output Conv3DTranspose(Output x, int64_t filters, const Sizes& kernel_size, const ConvOptions& options = {});

struct SeparableConvOptions {
  Sizes strides = 1;
  std::string padding = "valid";
  std::string data_format = "channels_last";
  Sizes dilation_rate = 1;
  int64_t depth_multiplier = 1;
  Activation activation = {};
  bool use_bias = true;
  Weight depthwise = {};
  Weight pointwise = {};
  Weight bias = {};
  bool trainable = true;
  std::string name = "";
  std::optional<Reuse> reuse = {};
};
// A depthwise convolution followed by a pointwise one.
Output SeparableConv1D(Output x, int64_t filters, const Sizes& kernel_size, const SeparableConvOptions& options = {});
Output SeparableConv2D(Output x, int64_t filters, const Sizes& kernel_size, const SeparableConvOptions& options = {});

struct PoolingOptions {
  std::string padding = "valid";
  std::string data_format = "channels_last";
  std::string name = "";
};
Output MaxPooling1D(Output x, const Sizes& pool_size, const Sizes& strides, const PoolingOptions& options = {});
Output MaxPooling2D(Output x, const Sizes& pool_size, const Sizes& strides, const PoolingOptions& options = {});
Output MaxPooling3D(Output x, const Sizes& pool_size, const Sizes& strides, const PoolingOptions& options = {});
Output AveragePooling1D(Output x, const Sizes& pool_size, const Sizes& strides, const PoolingOptions& options = {});
Output AveragePooling2D(Output x, const Sizes& pool_size, const Sizes& strides, const PoolingOptions& options = {});
Output AveragePooling3D(Output x, const Sizes& pool_size, const Sizes& strides, const PoolingOptions& options = {});

struct FlattenOptions {
  std::string data_format = "channels_last";
  std::string name = "";
};
// [rows, ...] to [rows, product of the other dimensions].
Output Flatten(Output x, const FlattenOptions& options = {});

struct DropoutOptions {
  Input rate = 0.5f;  // fraction of elements set to 0
  Input noise_shape = {};
  OpSeed seed = {};
  Input training = false;  // a bool, possibly known only at run time
  std::string name = "";
};
// Returns x unchanged unless training.
Output Dropout(Output x, const DropoutOptions& options = {});

struct BatchNormalizationOptions {
  int64_t axis = -1;  // channel axis
  double momentum = 0.99;
  double epsilon = 1e-3;
  bool center = true;
  bool scale = true;
  Weight beta = {};
  Weight gamma = {};
  ScopedInitializer moving_mean = {};      // default: zeros
  ScopedInitializer moving_variance = {};  // default: ones
  std::optional<bool> fused = {};
  Input training = false;
  bool trainable = true;
  std::string name = "";
  std::optional<Reuse> reuse = {};
};
// Training adds update nodes to UpdateOps, which must run with each step.
Output BatchNormalization(Output x, const BatchNormalizationOptions& options = {});

// The updates that layers need run with each training step. Make them control dependencies of the train op.
std::vector<Node*> UpdateOps(const Graph& graph);

}  // namespace weir::layers

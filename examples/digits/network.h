// The network of the digit trainer: two convolutional and two dense layers. Shared by train.cc and predict.cc.
#pragma once

#include <weir/weir.h>

namespace digits {

constexpr int kSide = 28;  // width and height of an image, in pixels
constexpr int kDigits = 10;

struct NetworkOptions {
  bool training = false;  // enables dropout and weight decay
  std::optional<weir::Reuse> reuse = {};
};

// Maps images [n, 28, 28, 1] in 0..1 to logits [n, 10].
inline weir::Output Logits(weir::Output images, const NetworkOptions& options = {}) {
  using namespace weir;
  const VariableScopeGuard scope(images.graph(), "network", options.reuse);
  const layers::Weight kernel = {.initializer = VarianceScalingInitializer({.scale = 2}),
                                 .regularizer = L2Regularizer(options.training ? 1e-4 : 0)};
  const auto convolution = [&](Output x, int filters, const std::string& name) {
    x = layers::Conv2D(x, filters, 5, {.padding = "same", .activation = Relu, .kernel = kernel, .name = name});
    return layers::MaxPooling2D(x, 2, 2, {.padding = "same"});
  };
  Output x = convolution(images, 12, "convolution1");
  x = convolution(x, 24, "convolution2");
  x = layers::Dense(layers::Flatten(x), 96, {.activation = Tanh, .kernel = kernel, .name = "dense1"});
  x = layers::Dropout(x, {.rate = 0.3f, .training = options.training});
  return layers::Dense(x, kDigits, {.kernel = kernel, .name = "dense2"});
}

}  // namespace digits

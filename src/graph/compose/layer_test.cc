#include "graph/compose/layer.h"

#include <gmock/gmock.h>

namespace weir::layers {
namespace {

using testing::ElementsAre;

std::vector<std::string> Described(Layer& layer, const PartialShape& shape, DType dtype = kFloat) {
  std::vector<std::string> lines;
  const std::vector<WeightSpec> specs = layer.Build(shape, dtype, "mine").value();
  for (const WeightSpec& spec : specs)
    lines.push_back(fmt::format("{} {} {}{}", spec.name, spec.shape, spec.dtype, spec.trainable ? "" : ", updated"));
  return lines;
}

TEST(Layer, ListsItsVariables) {
  DenseLayer dense(3, /*use_bias=*/true);
  EXPECT_THAT(Described(dense, {kUnknownDim, 2}), ElementsAre("kernel [2,3] float32", "bias [3] float32"));
  DenseLayer unbiased(3, /*use_bias=*/false);
  EXPECT_THAT(Described(unbiased, {4, 2}, kDouble), ElementsAre("kernel [2,3] float64"));
  const ImageWindow square{.dims = 2, .strides = {1, 1}};
  ConvLayer plain({.window = square, .filters = 5, .kernel_size = {3, 2}});
  EXPECT_THAT(Described(plain, {1, 8, 8, 4}), ElementsAre("kernel [3,2,4,5] float32", "bias [5] float32"));
  ConvLayer transposed({.kind = ConvKind::kTransposed, .window = square, .filters = 5, .kernel_size = {3, 2}});
  EXPECT_THAT(Described(transposed, {1, 8, 8, 4}), ElementsAre("kernel [3,2,5,4] float32", "bias [5] float32"));
  ConvLayer separable({.kind = ConvKind::kSeparable,
                       .window = square,
                       .filters = 5,
                       .kernel_size = {3, 2},
                       .use_bias = false,
                       .depth_multiplier = 2});
  EXPECT_THAT(Described(separable, {1, 8, 8, 4}),
              ElementsAre("depthwise_kernel [3,2,4,2] float32", "pointwise_kernel [1,1,8,5] float32"));
  BatchNormLayer norm({.scale = false});
  EXPECT_THAT(Described(norm, {2, 6}, kHalf), ElementsAre("beta [6] float32", "moving_mean [6] float32, updated",
                                                          "moving_variance [6] float32, updated"));
}

TEST(Layer, NeedsTheNumberOfChannels) {
  DenseLayer dense(3, true);
  EXPECT_EQ(dense.Build({2, kUnknownDim}, kFloat, "mine").status().message(),
            "layer mine: the channel dimension (axis 1) of inputs of shape [2,?] must be known");
}

}  // namespace
}  // namespace weir::layers

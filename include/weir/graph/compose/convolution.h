// Convolution, pooling and batch normalization with TensorFlow's public arguments: strides and dilations of several
// lengths, formats with one to three spatial dimensions, and transposed, depthwise and separable forms.
#pragma once

#include <string>
#include <vector>

#include "weir/graph/graph.h"
#include "weir/graph/input.h"

namespace weir {

// Strides and dilations have one value, one per spatial dimension, or one per dimension of the image; empty means 1.
// data_format is the format of the images (NWC, NHWC, NDHWC, NCW, NCHW, NCDHW); empty means channels last.
struct WindowOptions {
  std::vector<int64_t> strides = {};
  std::vector<int64_t> dilations = {};
  std::string padding = "VALID";
  std::vector<int64_t> explicit_paddings = {};  // before and after every dimension, if padding is EXPLICIT
  std::string data_format = "";
  std::string name = "";
};

// `dims` is the number of spatial dimensions, 1 to 3. The filter is [spatial..., in, out].
Output Convolve(Graph& graph, const Input& images, const Input& filter, int dims, const WindowOptions& options);
// The images determine the number of spatial dimensions.
Output ConvolveAnyRank(Graph& graph, const Input& images, const Input& filter, const WindowOptions& options);
// Transposed convolution: the gradient of a convolution with respect to its images. The filter is [spatial..., out,
// in].
Output ConvolveTransposed(Graph& graph, const Input& images, const Input& filter, const Input& output_shape, int dims,
                          const WindowOptions& options);
// The filter is [height, width, in, multiplier].
Output ConvolveDepthwise(Graph& graph, const Input& images, const Input& filter, const WindowOptions& options);
// A depthwise convolution followed by a pointwise one with a filter [1, 1, in * multiplier, out].
Output ConvolveSeparable(Graph& graph, const Input& images, const Input& depthwise, const Input& pointwise,
                         const WindowOptions& options);
// The one-dimensional form: [width, in, multiplier] and [1, in * multiplier, out].
Output ConvolveSeparableLine(Graph& graph, const Input& images, const Input& depthwise, const Input& pointwise,
                             const WindowOptions& options);

enum class PoolKind { kMax, kAverage };
// `window` has the same forms as the strides, which default to 1. Dilations require VALID padding and strides of 1.
Output Pool(Graph& graph, const Input& images, PoolKind kind, const std::vector<int64_t>& window, int dims,
            const WindowOptions& options);
Output PoolAnyRank(Graph& graph, const Input& images, PoolKind kind, const std::vector<int64_t>& window,
                   const WindowOptions& options);

// The minimum over a window of the image minus the kernel: the dual of Dilation2D.
Output Erosion(Graph& graph, const Input& value, const Input& kernel, const std::vector<int64_t>& strides,
               const std::vector<int64_t>& rates, const std::string& padding, std::string name = "");

struct BatchNormOptions {
  float epsilon = 0.001f;
  std::string data_format = "NHWC";
  bool is_training = true;
  std::string name = "";
};
struct BatchNormResult {
  Output y;
  Output mean;
  Output variance;
};
// mean and variance are required for inference. In training they are absent, and the result has the mean and variance
// of the batch.
BatchNormResult FusedBatchNormalization(Graph& graph, const Input& x, const Input& scale, const Input& offset,
                                        const Input& mean, const Input& variance, const BatchNormOptions& options);

}  // namespace weir

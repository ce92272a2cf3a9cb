// Convolution, pooling and batch normalization by their public arguments: strides and dilations of several lengths,
// formats of one to three spatial dimensions, transposed, depthwise and separable forms.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/input.h"

namespace weir {

// How a window slides. Strides and dilations have one value, one per spatial dimension, or one per dimension of the
// image; none means 1. The format is that of the images (NWC, NHWC, NDHWC, NCW, NCHW, NCDHW); empty: channels last.
struct WindowOptions {
  std::vector<int64_t> strides = {};
  std::vector<int64_t> dilations = {};
  std::string padding = "VALID";
  std::vector<int64_t> explicit_paddings = {};  // before and after every dimension, with padding EXPLICIT
  std::string data_format = "";
  std::string name = "";
};

// `dims` spatial dimensions: 1 to 3. The filter is [spatial..., in, out].
Output Convolve(Graph& graph, const Input& images, const Input& filter, int dims, const WindowOptions& options);
// As many as the images have.
Output ConvolveAnyRank(Graph& graph, const Input& images, const Input& filter, const WindowOptions& options);
// The gradient of a convolution by its images as a layer of its own. The filter is [spatial..., out, in].
Output ConvolveTransposed(Graph& graph, const Input& images, const Input& filter, const Input& output_shape, int dims,
                          const WindowOptions& options);
// The filter is [height, width, in, multiplier].
Output ConvolveDepthwise(Graph& graph, const Input& images, const Input& filter, const WindowOptions& options);
// Depthwise, then across channels with a filter [1, 1, in * multiplier, out].
Output ConvolveSeparable(Graph& graph, const Input& images, const Input& depthwise, const Input& pointwise,
                         const WindowOptions& options);
// The same along one dimension: [width, in, multiplier] and [1, in * multiplier, out].
Output ConvolveSeparableLine(Graph& graph, const Input& images, const Input& depthwise, const Input& pointwise,
                             const WindowOptions& options);

enum class PoolKind { kMax, kAverage };
// `window` as the strides, which default to 1. With dilations the padding is VALID and the strides are 1.
Output Pool(Graph& graph, const Input& images, PoolKind kind, const std::vector<int64_t>& window, int dims,
            const WindowOptions& options);
Output PoolAnyRank(Graph& graph, const Input& images, PoolKind kind, const std::vector<int64_t>& window,
                   const WindowOptions& options);

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
// Mean and variance are given in inference and absent in training, which gives those of the batch.
BatchNormResult FusedBatchNormalization(Graph& graph, const Input& x, const Input& scale, const Input& offset,
                                        const Input& mean, const Input& variance, const BatchNormOptions& options);

}  // namespace weir

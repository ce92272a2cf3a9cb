// Shared by max and average pooling: sizes of images and windows, and iteration over windows. Pooling is independent
// per channel, so [n, c, spatial...] is treated as [n * c, spatial..., 1]. For windows over channels, [n, h, w, c] is
// treated as [n * h * w, c, 1].
#ifndef WEIR_OPS_NN_POOLING_H_
#define WEIR_OPS_NN_POOLING_H_

#include <algorithm>

#include "op/gradient_context.h"
#include "op/kernel.h"
#include "ops/nn/sliding_window.h"

namespace weir::ops {

// The windows of a node.
struct PoolWindow {
  SlidingWindow sliding;
  SlidingWindow::Dims size = {};
  int64_t depth = 1;  // channels per window; with more than one, the windows have one position and do not overlap
  static Result<PoolWindow> FromAttrs(const AttrMap& attrs, int dims, WindowUse use);
  // Like FromAttrs for two dimensions, but accepts windows over several channels.
  static Result<PoolWindow> OfImagesOrChannels(const AttrMap& attrs, WindowUse use);
};

// Sizes for three spatial dimensions. With fewer dimensions, the leading ones have size 1.
struct PoolSizes {
  int64_t images = 0;
  int64_t channels = 0;
  int64_t in[3] = {1, 1, 1};
  int64_t out[3] = {1, 1, 1};
  int64_t size[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1};
  int64_t before[3] = {0, 0, 0};
  Shape out_shape;

  static Result<PoolSizes> Make(const PoolWindow& window, const Shape& in);

  int64_t in_positions() const { return in[0] * in[1] * in[2]; }
  int64_t out_positions() const { return out[0] * out[1] * out[2]; }
  // The most taps that a window can have after it is clipped to the image. Unlike the product of the sizes, it cannot
  // overflow.
  int64_t taps() const { return std::min(size[0], in[0]) * std::min(size[1], in[1]) * std::min(size[2], in[2]); }

  // The bounds of a window in each dimension, clipped to the image. Never empty.
  struct WindowBounds {
    int64_t begin[3];
    int64_t end[3];
    int64_t taps() const { return (end[0] - begin[0]) * (end[1] - begin[1]) * (end[2] - begin[2]); }
  };
  WindowBounds WindowAt(int64_t out_position) const {
    WindowBounds w;
    for (int i = 2; i >= 0; --i) {
      const int64_t start = out_position % out[i] * stride[i] - before[i];
      w.begin[i] = std::max<int64_t>(0, start);
      w.end[i] = std::min(in[i], start + size[i]);
      out_position /= out[i];
    }
    return w;
  }
  // Calls f(position in the image) for every tap of a window, in memory order.
  template <class F>
  void ForTaps(const WindowBounds& w, F f) const {
    for (int64_t d = w.begin[0]; d < w.end[0]; ++d) {
      for (int64_t h = w.begin[1]; h < w.end[1]; ++h) {
        const int64_t row = (d * in[1] + h) * in[2];
        for (int64_t x = w.begin[2]; x < w.end[2]; ++x) f(row + x);
      }
    }
  }
};

// The attributes of a pooling node that its gradients need.
struct PoolAttrs {
  std::vector<int64_t> ksize, strides;
  std::string padding;
  std::string format;  // empty if the op has no such attribute
};
Result<PoolAttrs> PoolAttrsOf(const GradientContext& g);

// The shape function of pooling ops. Input 0 holds the images. Rejects what TensorFlow's shape functions reject;
// kernels check the rest.
enum class PoolShapeChecks {
  kSpatial,          // the windows of spatial dimensions
  kChannels,         // also those of the channels
  kPositiveWindows,  // also that windows have elements
};
ShapeFn PooledShape(int dims, PoolShapeChecks checks);
// Checks that an incoming gradient has the shape of the result.
Status CheckPooled(const PoolSizes& sizes, const Tensor& value, const char* what);

}  // namespace weir::ops

#endif  // WEIR_OPS_NN_POOLING_H_

// SlidingWindow: the attributes strides, dilations, padding, explicit_paddings and data_format of a node, checked, and
// the sizes that follow from them. Spatial dimensions are numbered from the outermost.
#ifndef WEIR_OPS_NN_SLIDING_WINDOW_H_
#define WEIR_OPS_NN_SLIDING_WINDOW_H_

#include <string>

#include "device/cpu/convolution.h"
#include "op/attr_value.h"
#include "tensor/shape.h"

namespace weir::ops {

// What a window is for. Determines the error for a window that extends over several images or channels. kPoolOfChannel
// ignores the stride between channels, which has no effect on windows of one channel; kPoolingGradient rejects windows
// over several images and channels before it checks their sizes.
enum class WindowUse { kPooling, kPoolOfChannel, kPoolingGradient, kConvolution, kGradient };

struct SlidingWindow {
  using Dims = ConvSizes::Dims;
  enum class Padding { kSame, kValid, kExplicit };

  int dims = 2;
  bool channels_first = false;
  Padding padding = Padding::kValid;
  Dims stride = {};
  Dims dilation = {};
  Dims before = {};  // with kExplicit
  Dims after = {};

  // Missing attributes have no effect.
  static Result<SlidingWindow> FromAttrs(const AttrMap& attrs, int dims, WindowUse use);
  // For shape functions, which reject only some invalid attributes: a wrong number of values, and invalid strides and
  // dilations of spatial dimensions. Kernels reject the others. `op` is the op's name for messages.
  static Status CheckForShape(const AttrMap& attrs, int dims, std::string_view op);

  int rank() const { return dims + 2; }
  int channel_axis() const { return channels_first ? 1 : dims + 1; }
  int spatial_axis(int i) const { return (channels_first ? 2 : 1) + i; }

  struct Fit {
    int64_t out = 0;
    int64_t before = 0;  // padding before the first element
  };
  // Fits a window of `size` elements into spatial dimension i, which has `in` elements. An error if it is too large.
  Result<Fit> ComputeFit(int i, int64_t in, int64_t size) const;
  // The output size only; unknown (-1) if an argument is unknown.
  Result<int64_t> OutputSize(int i, int64_t in, int64_t size) const;
  // [batch, spatial..., channels] in the order of the data format.
  DimVector ImageDims(int64_t batch, absl::Span<const int64_t> spatial, int64_t channels) const;
};

// Returns the spatial part of the attribute `name` (window sizes or strides per dimension). All values must be
// positive. An error if the window extends over several images or channels.
Result<SlidingWindow::Dims> SpatialPart(const AttrMap& attrs, const char* name, int dims, bool channels_first,
                                        WindowUse use);

}  // namespace weir::ops

#endif  // WEIR_OPS_NN_SLIDING_WINDOW_H_

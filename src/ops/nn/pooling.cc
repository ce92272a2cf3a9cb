#include "ops/nn/pooling.h"

#include <limits>

#include "absl/strings/str_join.h"
#include "op/shape_context.h"

namespace weir::ops {

namespace {

constexpr int64_t kMostWindow = std::numeric_limits<int32_t>::max();

// The output size as a shape function computes it, which accepts windows without elements.
Result<int64_t> WindowedSize(int64_t in, int64_t size, int64_t stride, bool same) {
  if (stride < 1) return InvalidArgument("Stride must be > 0, but got {}", stride);
  // Kernels refuse larger values.
  if (in < 0 || stride > kMostWindow || size > kMostWindow || size < -kMostWindow) return kUnknownDim;
  if (same) return (in + stride - 1) / stride;
  if (size == kUnknownDim) return kUnknownDim;
  if (in < size) return InvalidArgument("Negative dimension size caused by subtracting {} from {}", size, in);
  return (in + stride - size) / stride;
}

}  // namespace

Result<PoolWindow> PoolWindow::FromAttrs(const AttrMap& attrs, int dims, WindowUse use) {
  PoolWindow w;
  WEIR_ASSIGN(w.sliding, SlidingWindow::FromAttrs(attrs, dims, use));
  WEIR_ASSIGN(w.size, SpatialPart(attrs, "ksize", dims, w.sliding.channels_first, use));
  return w;
}

Result<PoolWindow> PoolWindow::OfImagesOrChannels(const AttrMap& attrs, WindowUse use) {
  WEIR_ASSIGN(std::vector<int64_t> sizes, GetAttr<std::vector<int64_t>>(attrs, "ksize"));
  WEIR_ASSIGN(std::vector<int64_t> strides, GetAttr<std::vector<int64_t>>(attrs, "strides"));
  WEIR_ASSIGN(const std::string format, GetAttr<std::string>(attrs, "data_format"));
  constexpr size_t kChannel = 3;
  if (format != "NHWC" || sizes.size() != 4 || strides.size() != 4 || sizes[kChannel] <= 1)
    return FromAttrs(attrs, 2, use);
  const int64_t depth = sizes[kChannel], stride = strides[kChannel];
  AttrMap flat = attrs;
  sizes[kChannel] = strides[kChannel] = 1;
  flat["ksize"] = AttrValue(sizes);
  flat["strides"] = AttrValue(strides);
  WEIR_ASSIGN(PoolWindow window, FromAttrs(flat, 2, use));
  if (sizes[1] != 1 || sizes[2] != 1)
    return Unimplemented("max pooling over channels and over height or width at once is not supported: ksize is {}",
                         absl::StrJoin(sizes, ","));
  if (strides[1] != 1 || strides[2] != 1)
    return Unimplemented("max pooling over channels requires strides of 1 in height and width, not {} and {}",
                         strides[1], strides[2]);
  if (stride != depth)
    return Unimplemented(
        "Depthwise max pooling requires the depth window to equal the depth stride, but they are {} and {}", depth,
        stride);
  window.depth = depth;
  return window;
}

Result<PoolAttrs> PoolAttrsOf(const GradientContext& g) {
  PoolAttrs a;
  WEIR_ASSIGN(a.ksize, g.Attr<std::vector<int64_t>>("ksize"));
  WEIR_ASSIGN(a.strides, g.Attr<std::vector<int64_t>>("strides"));
  WEIR_ASSIGN(a.padding, g.Attr<std::string>("padding"));
  if (g.attrs().find("data_format") != g.attrs().end()) {
    WEIR_ASSIGN(a.format, g.Attr<std::string>("data_format"));
  }
  return a;
}

Result<PoolSizes> PoolSizes::Make(const PoolWindow& window, const Shape& in) {
  const SlidingWindow& s = window.sliding;
  if (in.rank() != s.rank())
    return InvalidArgument("images to pool must be {}-dimensional, but have the shape {}", s.rank(), in);
  PoolSizes p;
  if (window.depth > 1) {
    const int64_t channels = in[s.channel_axis()];
    if (channels % window.depth != 0)
      return Unimplemented(
          "Depthwise max pooling requires the depth window to evenly divide the input depth, but they are {} and {}",
          window.depth, channels);
    p.channels = 1;
    p.in[2] = channels;
    p.out[2] = channels / window.depth;
    p.size[2] = p.stride[2] = window.depth;
    DimVector out(in.dims().begin(), in.dims().end());
    out[static_cast<size_t>(s.channel_axis())] = p.out[2];
    WEIR_ASSIGN(p.out_shape, Shape::Make(out));
    p.images = in.num_elements() == 0 ? 0 : in.num_elements() / channels;
    return p;
  }
  p.images = in[0];
  p.channels = in[s.channel_axis()];
  SlidingWindow::Dims out = {};
  const int first = 3 - s.dims;
  for (int i = 0; i < s.dims; ++i) {
    const auto d = static_cast<size_t>(i);
    WEIR_ASSIGN(const SlidingWindow::Fit fit, s.ComputeFit(i, in[s.spatial_axis(i)], window.size[d]));
    out[d] = fit.out;
    p.in[first + i] = in[s.spatial_axis(i)];
    p.out[first + i] = fit.out;
    p.size[first + i] = window.size[d];
    p.stride[first + i] = s.stride[d];
    p.before[first + i] = fit.before;
  }
  WEIR_ASSIGN(p.out_shape, Shape::Make(s.ImageDims(p.images, out, p.channels)));
  if (s.channels_first) {
    // Without elements, the product could overflow; it is not used then.
    p.images = in.num_elements() == 0 ? 0 : p.images * p.channels;
    p.channels = 1;
  }
  return p;
}

ShapeFn PooledShape(int dims, PoolShapeChecks checks) {
  return [dims, checks](ShapeContext& ctx) -> Status {
    WEIR_TRY(SlidingWindow::CheckForShape(ctx.attrs(), dims, dims == 3 ? "Pool3D" : "Pooling"));
    WEIR_ASSIGN(const PartialShape in, ctx.WithRank(0, dims + 2));
    WEIR_ASSIGN(const std::vector<int64_t> sizes, ctx.Attr<std::vector<int64_t>>("ksize"));
    WEIR_ASSIGN(const std::vector<int64_t> strides, ctx.Attr<std::vector<int64_t>>("strides"));
    WEIR_ASSIGN(const std::string padding, ctx.Attr<std::string>("padding"));
    SlidingWindow s;
    s.dims = dims;
    if (ctx.attrs().find("data_format") != ctx.attrs().end()) {
      WEIR_ASSIGN(const std::string format, ctx.Attr<std::string>("data_format"));
      s.channels_first = format.starts_with("NC");
    }
    for (const int64_t size : sizes) {
      if (size < 1 && checks == PoolShapeChecks::kPositiveWindows)
        return InvalidArgument("ksize must be a positive int32 value, got:{}", size);
    }
    DimVector out(static_cast<size_t>(s.rank()));
    for (int axis = 0; axis < s.rank(); ++axis) {
      const auto d = static_cast<size_t>(axis);
      out[d] = in[axis];
      const bool is_channel = axis == s.channel_axis();
      if (axis == 0 || (is_channel && checks == PoolShapeChecks::kSpatial)) continue;
      WEIR_ASSIGN(out[d], WindowedSize(in[axis], sizes[d], strides[d], padding == "SAME"));
      if (is_channel && sizes[d] == 1) out[d] = in[axis];  // the stride has no effect then
    }
    for (int i = 0; i < ctx.num_outputs(); ++i) ctx.set_output(i, PartialShape(out));
    return OkStatus();
  };
}

Status CheckPooled(const PoolSizes& sizes, const Tensor& value, const char* what) {
  if (!(value.shape() == sizes.out_shape))
    return InvalidArgument("{} has the shape {}, but the result of this pooling {}", what, value.shape(),
                           sizes.out_shape);
  return OkStatus();
}

}  // namespace weir::ops

#include "ops/nn/pooling.h"

#include "op/shape_context.h"

namespace weir::ops {

Result<PoolWindow> PoolWindow::FromAttrs(const AttrMap& attrs, int dims) {
  PoolWindow w;
  WEIR_ASSIGN(w.sliding, SlidingWindow::FromAttrs(attrs, dims, WindowUse::kPooling));
  WEIR_ASSIGN(w.size, SpatialPart(attrs, "ksize", dims, w.sliding.channels_first, WindowUse::kPooling));
  return w;
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

ShapeFn PooledShape(int dims) {
  return [dims](ShapeContext& ctx) -> Status {
    WEIR_TRY(SlidingWindow::CheckForShape(ctx.attrs(), dims, dims == 3 ? "Pool3D" : "Pooling"));
    WEIR_ASSIGN(const PartialShape in, ctx.WithRank(0, dims + 2));
    const Result<PoolWindow> window = PoolWindow::FromAttrs(ctx.attrs(), dims);
    if (!window.ok()) {  // the kernel says so
      for (int i = 0; i < ctx.num_outputs(); ++i) ctx.set_output(i, PartialShape::OfRank(dims + 2));
      return OkStatus();
    }
    const SlidingWindow& s = window->sliding;
    SlidingWindow::Dims out = {};
    for (int i = 0; i < dims; ++i) {
      const auto d = static_cast<size_t>(i);
      WEIR_ASSIGN(out[d], s.OutputSize(i, in[s.spatial_axis(i)], window->size[d]));
    }
    for (int i = 0; i < ctx.num_outputs(); ++i)
      ctx.set_output(i, PartialShape(s.ImageDims(in[0], out, in[s.channel_axis()])));
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

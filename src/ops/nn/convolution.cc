// Convolutions over two and three spatial dimensions, depthwise convolutions, and their gradients with respect to input
// and filter. All use the same computation: a depthwise one has as many groups as channels, and its filter
// [h,w,in,multiplier] reads as [h,w,1,in * multiplier]. float uses the algorithms of device/cpu/convolution.h, 16-bit
// floats are converted to float, double uses plain loops.
#include <algorithm>
#include <limits>
#include <memory>

#include "device/cpu/convolution.h"
#include "graph/build/array_ops.h"
#include "graph/build/nn_ops.h"
#include "op/gpu_kernel.h"
#include "op/gradient_context.h"
#include "op/kernel.h"
#include "op/shape_context.h"
#include "ops/array/int_inputs.h"
#include "ops/nn/folded_stages.h"
#include "ops/nn/gpu_windows.h"
#include "ops/nn/sliding_window.h"

namespace weir::ops {
namespace {

struct Family {
  int dims = 2;
  bool depthwise = false;
};

// Output channels and groups; -1 if unknown.
struct Channels {
  int64_t out = kUnknownDim;
  int64_t groups = kUnknownDim;
};
Result<Channels> FitChannels(bool depthwise, int64_t in, int64_t filter_in, int64_t filter_out) {
  if (depthwise) {
    if (in >= 0 && filter_in >= 0 && in != filter_in)
      return InvalidArgument("input depth {} and filter depth {} must be equal", in, filter_in);
    const int64_t channels = std::max(in, filter_in);
    if (channels < 0 || filter_out < 0) return Channels{};
    WEIR_ASSIGN(const int64_t out, CheckedMultiply(channels, filter_out));
    return Channels{out, channels};
  }
  if (in < 0 || filter_in < 0) return Channels{filter_out, kUnknownDim};
  if (filter_in == 0 ? in != 0 : in % filter_in != 0)
    return InvalidArgument("input depth {} must be evenly divisible by filter depth {}", in, filter_in);
  const int64_t groups = filter_in == 0 ? 1 : in / filter_in;
  if (filter_out > 0 && (groups == 0 || filter_out % groups != 0) && in > 0)
    return InvalidArgument(
        "the input has {} channels, but the filter has {} input channels: for a grouped convolution, the output depth "
        "{} must be divisible by the number of groups {}",
        in, filter_in, filter_out, groups);
  return Channels{filter_out, std::max<int64_t>(1, groups)};
}

// --- shapes

Status ForwardShape(ShapeContext& ctx, Family family) {
  WEIR_ASSIGN(const PartialShape in, ctx.WithRank(0, family.dims + 2));
  WEIR_ASSIGN(const PartialShape filter, ctx.WithRank(1, family.dims + 2));
  WEIR_TRY(SlidingWindow::CheckForShape(ctx.attrs(), family.dims,
                                        family.depthwise   ? "DepthwiseConv2D"
                                        : family.dims == 3 ? "Conv3D"
                                                           : "Conv2D"));
  const Result<SlidingWindow> window = SlidingWindow::FromAttrs(ctx.attrs(), family.dims, WindowUse::kConvolution);
  if (!window.ok()) {  // the kernel reports the error
    ctx.set_output(0, PartialShape::OfRank(family.dims + 2));
    return OkStatus();
  }
  const SlidingWindow& w = *window;
  WEIR_ASSIGN(const Channels channels,
              FitChannels(family.depthwise, in[w.channel_axis()], filter[family.dims], filter[family.dims + 1]));
  SlidingWindow::Dims out = {};
  for (int i = 0; i < family.dims; ++i) {
    WEIR_ASSIGN(out[static_cast<size_t>(i)], w.OutputSize(i, in[w.spatial_axis(i)], filter[i]));
  }
  ctx.set_output(0, PartialShape(w.ImageDims(in[0], out, channels.out)));
  return OkStatus();
}

Status SizesShape(ShapeContext& ctx, int sizes_input, Family family) {
  // The kernel reports other mismatches.
  const bool checked = sizes_input == 0 && family.dims == 2 && !family.depthwise;
  if (checked) {
    WEIR_ASSIGN(const PartialShape filter, ctx.WithRank(1, 4));
    WEIR_ASSIGN(const PartialShape dy, ctx.WithRank(2, 4));
    WEIR_ASSIGN(const std::string format, ctx.Attr<std::string>("data_format"));
    WEIR_TRY(MergeDims(dy[format.starts_with("NC") ? 1 : 3], filter[3]).status());
  }
  WEIR_ASSIGN(PartialShape sizes, ShapeOfInputValue(ctx, sizes_input));
  if (checked && sizes.known_rank() && sizes.rank() != 4) {
    if (sizes.rank() != 2) {
      return InvalidArgument("Conv2DBackpropInput requires input_sizes to contain 4 values or 2 values, but got: {}",
                             sizes.rank());
    }
    WEIR_ASSIGN(const SlidingWindow w, SlidingWindow::FromAttrs(ctx.attrs(), 2, WindowUse::kGradient));
    WEIR_ASSIGN(const PartialShape filter, ctx.WithRank(1, 4));
    sizes = PartialShape(w.ImageDims(kUnknownDim, sizes.dims(), filter[2]));
  }
  WEIR_ASSIGN(PartialShape out, sizes.Merge(PartialShape::OfRank(family.dims + 2)));
  if (checked && ctx.input(2).known_rank()) WEIR_TRY(MergeDims(out[0], ctx.input(2)[0]).status());
  if (sizes_input == 0 && out[0] < 0 && ctx.input(2).rank() == family.dims + 2)
    out.SetDim(0, ctx.input(2)[0]);  // as many images as results
  ctx.set_output(0, out);
  return OkStatus();
}

// --- kernels

Status CheckRank(const Shape& shape, int rank, const char* what) {
  if (shape.rank() != rank)
    return InvalidArgument("{} must be {}-dimensional, but has the shape {}", what, rank, shape);
  return OkStatus();
}

Result<ConvSizes> SizesOf(const SlidingWindow& w, Family family, const Shape& in, const Shape& filter) {
  WEIR_TRY(CheckRank(in, w.rank(), "input"));
  WEIR_TRY(CheckRank(filter, w.rank(), "filter"));
  ConvSizes s;
  s.dims = family.dims;
  s.channels_first = w.channels_first;
  s.batch = in[0];
  s.in_channels = in[w.channel_axis()];
  WEIR_ASSIGN(const Channels channels,
              FitChannels(family.depthwise, s.in_channels, filter[family.dims], filter[family.dims + 1]));
  s.out_channels = channels.out;
  s.groups = channels.groups;
  s.stride = w.stride;
  s.dilation = w.dilation;
  for (int i = 0; i < family.dims; ++i) {
    const auto d = static_cast<size_t>(i);
    s.in[d] = in[w.spatial_axis(i)];
    s.filter[d] = filter[i];
    if (s.filter[d] == 0) return InvalidArgument("a filter of shape {} has no elements to slide over images", filter);
    WEIR_ASSIGN(const SlidingWindow::Fit fit, w.ComputeFit(i, s.in[d], s.filter[d]));
    s.out[d] = fit.out;
    s.before[d] = fit.before;
    // Clamp strides and dilations that have no effect: oneDNN uses 32 bits.
    if (s.out[d] <= 1) s.stride[d] = std::min(s.stride[d], s.in[d] + w.before[d] + w.after[d] + 1);
    if (s.filter[d] <= 1) s.dilation[d] = 1;
  }
  return s;
}

Result<Shape> ResultShape(const SlidingWindow& w, const ConvSizes& s) {
  return Shape::Make(w.ImageDims(s.batch, s.out, s.out_channels));
}

template <class T>
constexpr bool kIs16Bit = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;

// Converts x to float if it is narrower.
template <class T>
Result<Tensor> AsFloats(KernelContext& ctx, const Tensor& x) {
  if constexpr (!kIs16Bit<T>) {
    return x;
  } else {
    WEIR_ASSIGN(Tensor wide, ctx.AllocateTemp(kFloat, x.shape()));
    const T* from = x.data<T>();
    float* to = wide.data<float>();
    WEIR_TRY(ctx.ParallelFor(x.num_elements(), 1, [=](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[i] = static_cast<float>(from[i]);
    }));
    return wide;
  }
}

Status CheckFits32Bits(const ConvSizes& s) {
  int64_t most = std::max({s.batch, s.in_channels, s.out_channels});
  for (int i = 0; i < s.dims; ++i) {
    const auto d = static_cast<size_t>(i);
    most = std::max({most, s.in[d], s.out[d], s.before[d], (s.filter[d] - 1) * s.dilation[d] + 1});
  }
  if (most > std::numeric_limits<int32_t>::max())
    return InvalidArgument("a dimension of {} elements is too long for a convolution", most);
  return OkStatus();
}

template <class T>
Status Convolve(KernelContext& ctx, ConvolutionCache& cache, ConvPass pass, const ConvSizes& sizes, const Tensor& a,
                const Tensor& b, Tensor to) {
  if (to.num_elements() == 0) return OkStatus();
  if (a.num_elements() == 0 || b.num_elements() == 0) {
    to.ZeroFill();
    return OkStatus();
  }
  ThreadPool* pool = ctx.step().pool;
  WEIR_TRY(CheckFits32Bits(sizes));
  if constexpr (std::is_same_v<T, double>) {
    ConvolveDirectly(pool, pass, sizes, a.data<T>(), b.data<T>(), to.data<T>());
    return OkStatus();
  } else {
    WEIR_ASSIGN(const Tensor wide_a, AsFloats<T>(ctx, a));
    WEIR_ASSIGN(const Tensor wide_b, AsFloats<T>(ctx, b));
    Tensor result = to;
    if (kIs16Bit<T>) {
      WEIR_ASSIGN(result, ctx.AllocateTemp(kFloat, to.shape()));
    }
    WEIR_TRY(cache.Run(pool, pass, sizes, wide_a.data<float>(), wide_b.data<float>(), result.data<float>()));
    if constexpr (kIs16Bit<T>) {
      const float* from = result.data<float>();
      T* narrow = to.data<T>();
      for (int64_t i = 0; i < to.num_elements(); ++i) narrow[i] = T(from[i]);
    }
    return OkStatus();
  }
}

template <class T>
Result<Kernel> MakeForward(KernelSetup& setup, Family family) {
  // For strides across images and channels, TensorFlow's kernels for double return other error codes than those for
  // float.
  const bool other_code = std::is_same_v<T, double> && (family.depthwise || family.dims == 3);
  WEIR_ASSIGN(const SlidingWindow w,
              SlidingWindow::FromAttrs(*setup.node().attrs, family.dims,
                                       other_code ? WindowUse::kGradient : WindowUse::kConvolution));
  return Kernel::Sync([w, family, cache = std::make_shared<ConvolutionCache>()](KernelContext& ctx) -> Status {
    const Tensor& x = ctx.input(0);
    const Tensor& filter = ctx.input(1);
    WEIR_ASSIGN(const ConvSizes sizes, SizesOf(w, family, x.shape(), filter.shape()));
    WEIR_ASSIGN(const Shape shape, ResultShape(w, sizes));
    WEIR_ASSIGN(const Tensor y, ctx.Allocate(0, shape));
    return Convolve<T>(ctx, *cache, ConvPass::kForward, sizes, x, filter, y);
  });
}

// Conv2D with a bias and an activation. Created by the pass that folds activations.
Result<Kernel> MakeFusedForward(KernelSetup& setup, const OpRegistry& registry) {
  WEIR_ASSIGN(const SlidingWindow w, SlidingWindow::FromAttrs(*setup.node().attrs, 2, WindowUse::kConvolution));
  WEIR_ASSIGN(const std::string filter_format, setup.Attr<std::string>("filter_format"));
  WEIR_ASSIGN(const int64_t host_args, setup.Attr<int64_t>("num_host_args"));
  if (filter_format != "HWIO" || host_args != 0)
    return Unimplemented("only filter_format HWIO and no host_args are supported");
  WEIR_ASSIGN(std::shared_ptr<const FoldedStages> stages, FoldedStages::Make(setup, registry, "Conv2D"));
  return Kernel::Sync([w, stages, cache = std::make_shared<ConvolutionCache>()](KernelContext& ctx) -> Status {
    const Tensor& x = ctx.input(0);
    const Tensor& filter = ctx.input(1);
    const Tensor& bias = ctx.input(2);
    const Result<ConvSizes> sizes = SizesOf(w, Family{.dims = 2}, x.shape(), filter.shape());
    const bool suit = sizes.ok() && !w.channels_first && stages->CanFinish(bias, sizes->out_channels) &&
                      x.num_elements() > 0 && filter.num_elements() > 0;
    if (!suit) return stages->RunEach(ctx);
    auto convolve = [&]() -> Status {
      WEIR_ASSIGN(const Shape shape, ResultShape(w, *sizes));
      WEIR_ASSIGN(const Tensor y, ctx.Allocate(0, shape));
      if (y.num_elements() == 0) return OkStatus();
      WEIR_TRY(CheckFits32Bits(*sizes));
      auto finish = [&](float* rows, int64_t count, int64_t stride, int64_t column, int64_t columns) {
        stages->Finish(bias.data<float>(), rows, count, stride, column, columns);
      };
      const RowEpilogue finish_rows(finish);
      return cache->Run(ctx.step().pool, ConvPass::kForward, *sizes, x.data<float>(), filter.data<float>(),
                        y.data<float>(), &finish_rows);
    };
    return stages->AsProductError(convolve());
  });
}

// The incoming gradient must have the shape of the result.
Status CheckResult(const SlidingWindow& w, const ConvSizes& sizes, const Tensor& gradient) {
  WEIR_ASSIGN(const Shape shape, ResultShape(w, sizes));
  if (!(gradient.shape() == shape))
    return InvalidArgument("out_backprop has the shape {}, but the result of this convolution {}", gradient.shape(),
                           shape);
  return OkStatus();
}

// The shape of the images. In two dimensions, the input may name height and width only.
Result<Shape> ImageShape(const KernelContext& ctx, const SlidingWindow& w, Family family) {
  WEIR_ASSIGN(Shape sizes, ShapeFromTensor(ctx.input(0), "input_sizes"));
  if (sizes.rank() != 2 || family.dims != 2 || family.depthwise) return sizes;
  WEIR_TRY(CheckRank(ctx.input(1).shape(), w.rank(), "filter"));
  WEIR_TRY(CheckRank(ctx.input(2).shape(), w.rank(), "out_backprop"));
  return Shape::Make(w.ImageDims(ctx.input(2).shape()[0], sizes.dims(), ctx.input(1).shape()[2]));
}

template <class T>
Result<Kernel> MakeInputGradient(KernelSetup& setup, Family family) {
  const bool other_code = std::is_same_v<T, double> && !family.depthwise && family.dims == 2;  // see MakeForward
  WEIR_ASSIGN(const SlidingWindow w,
              SlidingWindow::FromAttrs(*setup.node().attrs, family.dims,
                                       other_code ? WindowUse::kConvolution : WindowUse::kGradient));
  return Kernel::Sync([w, family, cache = std::make_shared<ConvolutionCache>()](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const Shape shape, ImageShape(ctx, w, family));
    WEIR_ASSIGN(const ConvSizes sizes, SizesOf(w, family, shape, ctx.input(1).shape()));
    WEIR_TRY(CheckResult(w, sizes, ctx.input(2)));
    WEIR_ASSIGN(const Tensor dx, ctx.Allocate(0, shape));
    return Convolve<T>(ctx, *cache, ConvPass::kInputGradient, sizes, ctx.input(1), ctx.input(2), dx);
  });
}

template <class T>
Result<Kernel> MakeFilterGradient(KernelSetup& setup, Family family) {
  WEIR_ASSIGN(const SlidingWindow w, SlidingWindow::FromAttrs(*setup.node().attrs, family.dims, WindowUse::kGradient));
  return Kernel::Sync([w, family, cache = std::make_shared<ConvolutionCache>()](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const Shape shape, ShapeFromTensor(ctx.input(1), "filter_sizes"));
    WEIR_ASSIGN(const ConvSizes sizes, SizesOf(w, family, ctx.input(0).shape(), shape));
    WEIR_TRY(CheckResult(w, sizes, ctx.input(2)));
    WEIR_ASSIGN(const Tensor dw, ctx.Allocate(0, shape));
    return Convolve<T>(ctx, *cache, ConvPass::kFilterGradient, sizes, ctx.input(0), ctx.input(2), dw);
  });
}

// Two dimensions, not depthwise.
template <ConvPass pass>
Result<Kernel> MakeOnGpu(KernelSetup& setup, GpuDevice& gpu) {
  constexpr WindowUse kUse = pass == ConvPass::kForward ? WindowUse::kConvolution : WindowUse::kGradient;
  constexpr int kSizes = pass == ConvPass::kInputGradient ? 0 : 1;  // the input with the shape of the result
  WEIR_ASSIGN(const SlidingWindow w, SlidingWindow::FromAttrs(*setup.node().attrs, 2, kUse));
  WEIR_ASSIGN(std::shared_ptr<GpuStream> stream, gpu.stream());
  return Kernel::Sync([w, &gpu, stream = std::move(stream)](KernelContext& ctx) -> Status {
    const Family family{.dims = 2};
    if constexpr (pass == ConvPass::kForward) {
      WEIR_ASSIGN(const ConvSizes sizes, SizesOf(w, family, ctx.input(0).shape(), ctx.input(1).shape()));
      WEIR_ASSIGN(const Shape shape, ResultShape(w, sizes));
      WEIR_ASSIGN(const Tensor y, gpu.Allocate(ctx, 0, shape));
      return ConvolveOnGpu(gpu, *stream, pass, sizes, ctx.input(0), ctx.input(1), y);
    } else {
      WEIR_ASSIGN(const Shape shape,
                  kSizes == 0 ? ImageShape(ctx, w, family) : ShapeFromTensor(ctx.input(kSizes), "filter_sizes"));
      const Tensor& other = ctx.input(1 - kSizes);
      WEIR_ASSIGN(const ConvSizes sizes,
                  kSizes == 0 ? SizesOf(w, family, shape, other.shape()) : SizesOf(w, family, other.shape(), shape));
      WEIR_TRY(CheckResult(w, sizes, ctx.input(2)));
      WEIR_ASSIGN(const Tensor to, gpu.Allocate(ctx, 0, shape));
      return ConvolveOnGpu(gpu, *stream, pass, sizes, other, ctx.input(2), to);
    }
  });
}

// --- gradients

struct ConvAttrs {
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations;
  std::vector<int64_t> explicit_paddings;
  std::string padding;
  std::string format;
};
Result<ConvAttrs> AttrsOf(const GradientContext& g) {
  ConvAttrs a;
  WEIR_ASSIGN(a.strides, g.Attr<std::vector<int64_t>>("strides"));
  WEIR_ASSIGN(a.dilations, g.Attr<std::vector<int64_t>>("dilations"));
  WEIR_ASSIGN(a.padding, g.Attr<std::string>("padding"));
  WEIR_ASSIGN(a.format, g.Attr<std::string>("data_format"));
  if (a.padding == "EXPLICIT") {
    WEIR_ASSIGN(a.explicit_paddings, g.Attr<std::vector<int64_t>>("explicit_paddings"));
  }
  return a;
}

// The three ops of a family. The gradient of each is built from the other two.
struct Over2D {
  static Output Forward(const ConvAttrs& a, Output x, Output filter) {
    return Conv2D(x, filter, a.strides, a.padding,
                  {.explicit_paddings = a.explicit_paddings, .data_format = a.format, .dilations = a.dilations});
  }
  static Output ByInput(const ConvAttrs& a, Output sizes, Output filter, Output dy) {
    return Conv2DBackpropInput(
        sizes, filter, dy, a.strides, a.padding,
        {.explicit_paddings = a.explicit_paddings, .data_format = a.format, .dilations = a.dilations});
  }
  static Output ByFilter(const ConvAttrs& a, Output x, Output sizes, Output dy) {
    return Conv2DBackpropFilter(
        x, sizes, dy, a.strides, a.padding,
        {.explicit_paddings = a.explicit_paddings, .data_format = a.format, .dilations = a.dilations});
  }
};
struct Over3D {
  static Output Forward(const ConvAttrs& a, Output x, Output filter) {
    return Conv3D(x, filter, a.strides, a.padding, {.data_format = a.format, .dilations = a.dilations});
  }
  static Output ByInput(const ConvAttrs& a, Output sizes, Output filter, Output dy) {
    return Conv3DBackpropInputV2(sizes, filter, dy, a.strides, a.padding,
                                 {.data_format = a.format, .dilations = a.dilations});
  }
  static Output ByFilter(const ConvAttrs& a, Output x, Output sizes, Output dy) {
    return Conv3DBackpropFilterV2(x, sizes, dy, a.strides, a.padding,
                                  {.data_format = a.format, .dilations = a.dilations});
  }
};
struct Depthwise {
  static Output Forward(const ConvAttrs& a, Output x, Output filter) {
    return DepthwiseConv2dNative(x, filter, a.strides, a.padding, {.data_format = a.format, .dilations = a.dilations});
  }
  static Output ByInput(const ConvAttrs& a, Output sizes, Output filter, Output dy) {
    return DepthwiseConv2dNativeBackpropInput(sizes, filter, dy, a.strides, a.padding,
                                              {.data_format = a.format, .dilations = a.dilations});
  }
  static Output ByFilter(const ConvAttrs& a, Output x, Output sizes, Output dy) {
    return DepthwiseConv2dNativeBackpropFilter(x, sizes, dy, a.strides, a.padding,
                                               {.data_format = a.format, .dilations = a.dilations});
  }
};

template <class Ops>
Result<Gradients> ForwardGradient(GradientContext& g) {
  WEIR_ASSIGN(const ConvAttrs a, AttrsOf(g));
  Output dy = g.d_output(0);
  return Gradients{Ops::ByInput(a, ShapeOf(g.input(0)), g.input(1), dy),
                   Ops::ByFilter(a, g.input(0), ShapeOf(g.input(1)), dy)};
}
template <class Ops>
Result<Gradients> ByInputGradient(GradientContext& g) {
  WEIR_ASSIGN(const ConvAttrs a, AttrsOf(g));
  Output d = g.d_output(0);
  return Gradients{std::monostate{}, Ops::ByFilter(a, d, ShapeOf(g.input(1)), g.input(2)),
                   Ops::Forward(a, d, g.input(1))};
}
template <class Ops>
Result<Gradients> ByFilterGradient(GradientContext& g) {
  WEIR_ASSIGN(const ConvAttrs a, AttrsOf(g));
  Output d = g.d_output(0);
  return Gradients{Ops::ByInput(a, ShapeOf(g.input(0)), d, g.input(2)), std::monostate{},
                   Ops::Forward(a, g.input(0), d)};
}

// --- registration

struct FamilyEntry {
  Family family;
  const char* forward;
  const char* by_input;
  const char* by_filter;
  OpTraits forward_traits = kOwnMemory;
  std::vector<std::string> attrs;           // of all three ops
  std::vector<std::string> by_input_attrs;  // additional ones
  const char* sizes_type;
  GradientFn forward_gradient, by_input_gradient, by_filter_gradient;
};

KernelList KernelsOf(Family family, ConvPass pass) {
  KernelList kernels = CpuKernels<half, bfloat16, float, double>([family, pass](auto tag, KernelSetup& setup) {
    using T = typename decltype(tag)::type;
    if (pass == ConvPass::kForward) return MakeForward<T>(setup, family);
    if (pass == ConvPass::kInputGradient) return MakeInputGradient<T>(setup, family);
    return MakeFilterGradient<T>(setup, family);
  });
  if (family.dims != 2 || family.depthwise) return kernels;
  const GpuKernel::Make make = pass == ConvPass::kForward         ? MakeOnGpu<ConvPass::kForward>
                               : pass == ConvPass::kInputGradient ? MakeOnGpu<ConvPass::kInputGradient>
                                                                  : MakeOnGpu<ConvPass::kFilterGradient>;
  return WithGpu(std::move(kernels), {.make = make, .types = kGpuReals}, {"input_sizes", "filter_sizes"});
}

void AddFamily(OpRegistry& registry, const FamilyEntry& e) {
  const Family family = e.family;
  registry.Add({
      .name = e.forward,
      .signature = "input: T, filter: T -> output: T",
      .attrs = e.attrs,
      .shape = [family](ShapeContext& ctx) { return ForwardShape(ctx, family); },
      .gradient = e.forward_gradient,
      .kernels = KernelsOf(family, ConvPass::kForward),
      .traits = e.forward_traits,
  });
  std::vector<std::string> by_input_attrs = e.attrs;
  by_input_attrs.insert(by_input_attrs.end(), e.by_input_attrs.begin(), e.by_input_attrs.end());
  registry.Add({
      .name = e.by_input,
      .signature = std::string("input_sizes: ") + e.sizes_type + ", filter: T, out_backprop: T -> output: T",
      .attrs = by_input_attrs,
      .shape = [family](ShapeContext& ctx) { return SizesShape(ctx, 0, family); },
      .gradient = e.by_input_gradient,
      .kernels = KernelsOf(family, ConvPass::kInputGradient),
      .traits = kOwnMemory,
  });
  registry.Add({
      .name = e.by_filter,
      .signature = "input: T, filter_sizes: int32, out_backprop: T -> output: T",
      .attrs = e.attrs,
      .shape = [family](ShapeContext& ctx) { return SizesShape(ctx, 1, family); },
      .gradient = e.by_filter_gradient,
      .kernels = KernelsOf(family, ConvPass::kFilterGradient),
      .traits = kOwnMemory,
  });
}

}  // namespace

void RegisterConvolution(OpRegistry& registry) {
  AddFamily(
      registry,
      {
          .family = {.dims = 2},
          .forward = "Conv2D",
          .by_input = "Conv2DBackpropInput",
          .by_filter = "Conv2DBackpropFilter",
          .forward_traits = {.memory = OutputMemory::kOwn, .fold = FoldStage::kProduct, .folded_op = "_FusedConv2D"},
          .attrs = {"T: {half, bfloat16, float, double}", "strides: list(int)", "use_cudnn_on_gpu: bool = true",
                    "padding: {'SAME', 'VALID', 'EXPLICIT'}", "explicit_paddings: list(int) = []",
                    "data_format: {'NHWC', 'NCHW'} = 'NHWC'", "dilations: list(int) = [1, 1, 1, 1]"},
          .by_input_attrs = {},
          .sizes_type = "int32",
          .forward_gradient = ForwardGradient<Over2D>,
          .by_input_gradient = ByInputGradient<Over2D>,
          .by_filter_gradient = ByFilterGradient<Over2D>,
      });
  registry.Add({
      .name = "_FusedConv2D",
      .signature = "input: T, filter: T, args: TArgs, host_args: num_host_args * float -> output: T",
      .attrs = {"T: {half, float, double}", "TArgs: list(type) >= 1", "num_args: int >= 0",
                "num_host_args: int >= 0 = 0", "strides: list(int)", "padding: {'SAME', 'VALID', 'EXPLICIT'}",
                "explicit_paddings: list(int) = []", "data_format: {'NHWC', 'NCHW'} = 'NHWC'",
                "filter_format: {'HWIO', 'OIHW'} = 'HWIO'", "dilations: list(int) = [1, 1, 1, 1]",
                "use_cudnn_on_gpu: bool = true", "fused_ops: list(string) = []", "epsilon: float = 0.0001",
                "leakyrelu_alpha: float = 0.2"},
      .equal_lengths = {"num_args = TArgs"},
      .shape = [](ShapeContext& ctx) { return ForwardShape(ctx, Family{.dims = 2}); },
      .kernels = CpuKernelForTypes("T", {kFloat},
                                   [&registry](KernelSetup& setup) { return MakeFusedForward(setup, registry); }),
      .traits = kOwnMemory,
  });
  AddFamily(registry,
            {
                .family = {.dims = 2, .depthwise = true},
                .forward = "DepthwiseConv2dNative",
                .by_input = "DepthwiseConv2dNativeBackpropInput",
                .by_filter = "DepthwiseConv2dNativeBackpropFilter",
                .attrs = {"T: {half, bfloat16, float, double}", "strides: list(int)", "padding: {'SAME', 'VALID'}",
                          "data_format: {'NHWC', 'NCHW'} = 'NHWC'", "dilations: list(int) = [1, 1, 1, 1]"},
                .by_input_attrs = {},
                .sizes_type = "int32",
                .forward_gradient = ForwardGradient<Depthwise>,
                .by_input_gradient = ByInputGradient<Depthwise>,
                .by_filter_gradient = ByFilterGradient<Depthwise>,
            });
  AddFamily(registry,
            {
                .family = {.dims = 3},
                .forward = "Conv3D",
                .by_input = "Conv3DBackpropInputV2",
                .by_filter = "Conv3DBackpropFilterV2",
                .attrs = {"T: {half, bfloat16, float, double}", "strides: list(int) >= 5", "padding: {'SAME', 'VALID'}",
                          "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'", "dilations: list(int) = [1, 1, 1, 1, 1]"},
                .by_input_attrs = {"Tshape: {int32, int64} = DT_INT32"},
                .sizes_type = "Tshape",
                .forward_gradient = ForwardGradient<Over3D>,
                .by_input_gradient = ByInputGradient<Over3D>,
                .by_filter_gradient = ByFilterGradient<Over3D>,
            });
}

}  // namespace weir::ops

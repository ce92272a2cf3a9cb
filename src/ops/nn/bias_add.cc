// BiasAdd: adds a vector along the channel axis (the last, or the second with NCHW); its gradient; L2Loss.
#include "device/gpu/elementwise.h"
#include "device/gpu/reduce.h"
#include "device/gpu_device.h"
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "op/gpu_kernel.h"
#include "op/gradient_context.h"
#include "op/kernel.h"
#include "op/shape_context.h"
#include "ops/nn/channel_view.h"
#include "ops/state/element_arithmetic.h"

namespace weir::ops {
namespace {

ChannelView ViewOf(const Shape& shape, bool nchw) {
  return ChannelView(shape, nchw && shape.rank() > 2 ? 1 : shape.rank() - 1);
}

Result<bool> IsNchw(KernelSetup& setup) {
  if (!setup.HasAttr("data_format")) return false;
  WEIR_ASSIGN(std::string format, setup.Attr<std::string>("data_format"));
  return format == "NCHW";
}

// The value of BiasAdd, if the bias fits it.
Result<ChannelView> BiasedView(const KernelContext& ctx, bool nchw) {
  const Tensor& value = ctx.input(0);
  const Tensor& bias = ctx.input(1);
  if (value.rank() < 2) return InvalidArgument("the value must have at least two dimensions: {}", value.shape());
  if (bias.rank() != 1) return InvalidArgument("the bias must be a vector: {}", bias.shape());
  const ChannelView v = ViewOf(value.shape(), nchw);
  if (bias.dim(0) != v.channels)
    return InvalidArgument("a bias of {} elements does not fit the {} channels of a value of shape {}", bias.dim(0),
                           v.channels, value.shape());
  return v;
}

Result<Kernel> MakeGpuBiasAdd(KernelSetup& setup, GpuDevice& gpu) {
  WEIR_ASSIGN(bool nchw, IsNchw(setup));
  WEIR_ASSIGN(std::shared_ptr<GpuStream> stream, gpu.stream());
  return Kernel::Sync([nchw, &gpu, stream = std::move(stream)](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const ChannelView v, BiasedView(ctx, nchw));
    const Tensor value = ctx.input(0);
    WEIR_ASSIGN(const Tensor y, gpu.ForwardOrAllocate(ctx, {0}, 0, value.shape()));
    if (y.num_elements() == 0) return OkStatus();
    return gpu::Binary(*stream, "Add", value.dtype(), value.raw(), {v.outer, v.channels, v.inner}, ctx.input(1).raw(),
                       {1, v.channels, 1}, y.raw(), {v.outer, v.channels, v.inner});
  });
}

Result<Kernel> MakeGpuBiasAddGrad(KernelSetup& setup, GpuDevice& gpu) {
  WEIR_ASSIGN(bool nchw, IsNchw(setup));
  WEIR_ASSIGN(std::shared_ptr<GpuStream> stream, gpu.stream());
  return Kernel::Sync([nchw, &gpu, stream = std::move(stream)](KernelContext& ctx) -> Status {
    const Tensor& grad = ctx.input(0);
    if (grad.rank() < 2) return InvalidArgument("the gradient must have at least two dimensions: {}", grad.shape());
    const ChannelView v = ViewOf(grad.shape(), nchw);
    WEIR_ASSIGN(const Tensor y, gpu.Allocate(ctx, 0, Shape{v.channels}));
    if (y.num_elements() == 0) return OkStatus();
    return gpu::Reduce(*stream, "Sum", grad.dtype(), grad.raw(), {v.outer, v.channels, v.inner}, {true, false, true},
                       y.raw());
  });
}

Result<Kernel> MakeGpuL2Loss(KernelSetup&, GpuDevice& gpu) {
  WEIR_ASSIGN(std::shared_ptr<GpuStream> stream, gpu.stream());
  return Kernel::Sync([&gpu, stream = std::move(stream)](KernelContext& ctx) -> Status {
    const Tensor& x = ctx.input(0);
    WEIR_ASSIGN(const Tensor y, gpu.Allocate(ctx, 0, Shape{}));
    return gpu::Reduce(*stream, "L2Loss", x.dtype(), x.raw(), {x.num_elements()}, {true}, y.raw());
  });
}

template <class T>
Result<Kernel> MakeBiasAdd(KernelSetup& setup) {
  WEIR_ASSIGN(bool nchw, IsNchw(setup));
  return Kernel::Sync([nchw](KernelContext& ctx) -> Status {
    const Tensor& value = ctx.input(0);
    const Tensor& bias = ctx.input(1);
    WEIR_ASSIGN(const ChannelView v, BiasedView(ctx, nchw));
    WEIR_ASSIGN(Tensor y, ctx.ForwardOrAllocate(0, 0));
    const T* in = value.data<T>();
    const T* b = bias.data<T>();
    T* out = y.data<T>();
    return ctx.ParallelFor(v.outer, v.channels * v.inner, [=](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) {
        const T* x = in + o * v.channels * v.inner;
        T* z = out + o * v.channels * v.inner;
        if (v.inner == 1) {
          for (int64_t c = 0; c < v.channels; ++c) z[c] = CombineElements<Combine::kAdd>(x[c], b[c]);
        } else {
          for (int64_t c = 0; c < v.channels; ++c)
            for (int64_t i = 0; i < v.inner; ++i)
              z[c * v.inner + i] = CombineElements<Combine::kAdd>(x[c * v.inner + i], b[c]);
        }
      }
    });
  });
}

template <class T>
Result<Kernel> MakeBiasAddGrad(KernelSetup& setup) {
  WEIR_ASSIGN(bool nchw, IsNchw(setup));
  return Kernel::Sync([nchw](KernelContext& ctx) -> Status {
    const Tensor& grad = ctx.input(0);
    if (grad.rank() < 2) return InvalidArgument("the gradient must have at least two dimensions: {}", grad.shape());
    const ChannelView v = ViewOf(grad.shape(), nchw);
    WEIR_ASSIGN(Tensor y, ctx.Allocate(0, Shape{v.channels}));
    using Sum = std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, bfloat16>, float, T>;
    std::vector<Sum> sums(v.channels, Sum(0));
    const T* in = grad.data<T>();
    for (int64_t o = 0; o < v.outer; ++o) {
      const T* x = in + o * v.channels * v.inner;
      if (v.inner == 1) {
        for (int64_t c = 0; c < v.channels; ++c) sums[c] += static_cast<Sum>(x[c]);
      } else {
        for (int64_t c = 0; c < v.channels; ++c)
          for (int64_t i = 0; i < v.inner; ++i) sums[c] += static_cast<Sum>(x[c * v.inner + i]);
      }
    }
    T* out = y.data<T>();
    for (int64_t c = 0; c < v.channels; ++c) out[c] = static_cast<T>(sums[c]);
    return OkStatus();
  });
}

Status BiasAddShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape value, ctx.WithRankAtLeast(0, 2));
  WEIR_ASSIGN(PartialShape bias, ctx.WithRank(1, 1));
  if (value.known_rank()) {
    Result<std::string> format = ctx.Attr<std::string>("data_format");
    const int axis = format.ok() && *format == "NCHW" && value.rank() > 2 ? 1 : value.rank() - 1;
    Result<int64_t> channels = MergeDims(value[axis], bias[0]);
    if (!channels.ok()) return InvalidArgument("a bias of shape {} does not fit a value of shape {}", bias, value);
    value.SetDim(axis, *channels);
  }
  ctx.set_output(0, value);
  return OkStatus();
}

Status BiasAddGradShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape grad, ctx.WithRankAtLeast(0, 2));
  WEIR_ASSIGN(std::string format, ctx.Attr<std::string>("data_format"));
  if (!grad.known_rank()) {
    ctx.set_output(0, PartialShape::OfRank(1));
    return OkStatus();
  }
  ctx.set_output(0, PartialShape{grad[format == "NCHW" && grad.rank() > 2 ? 1 : grad.rank() - 1]});
  return OkStatus();
}

// Broadcasts the channels to the shape of the input. With NCHW, trailing dimensions of size 1 are appended first; their
// number need not be known when the graph is built.
Result<Gradients> BiasAddGradGradient(GradientContext& g) {
  WEIR_ASSIGN(std::string format, g.Attr<std::string>("data_format"));
  Output shape = ShapeOf(g.input(0));
  Output d = g.d_output(0);
  if (format == "NCHW") d = Reshape(d, ConcatV2({ShapeOf(d), OnesLike(Slice(shape, {2}, {-1}))}, 0));
  return Gradients{BroadcastTo(d, shape)};
}

template <class T>
Result<Kernel> MakeL2Loss(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(Tensor y, ctx.Allocate(0, Shape{}));
    using Sum = std::conditional_t<std::is_same_v<T, double>, double, float>;
    // Summing up in blocks keeps the rounding error of long sums small.
    constexpr int64_t kBlock = 1024;
    const absl::Span<const T> x = ctx.input(0).flat<T>();
    const int64_t n = static_cast<int64_t>(x.size());
    double total = 0;
    for (int64_t start = 0; start < n; start += kBlock) {
      Sum lanes[8] = {};
      const int64_t end = std::min(n, start + kBlock);
      int64_t i = start;
      for (; i + 8 <= end; i += 8)
        for (int k = 0; k < 8; ++k) lanes[k] += static_cast<Sum>(x[i + k]) * static_cast<Sum>(x[i + k]);
      for (; i < end; ++i) lanes[0] += static_cast<Sum>(x[i]) * static_cast<Sum>(x[i]);
      for (Sum lane : lanes) total += lane;
    }
    y.scalar<T>() = static_cast<T>(total / 2);
    return OkStatus();
  });
}

constexpr char kNumbers[] =
    "T: {float, double, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, half, uint32, "
    "uint64}";
constexpr char kFormat[] = "data_format: {'NHWC', 'NCHW'} = 'NHWC'";

KernelList BiasKernels() {
  return CpuKernels<half, bfloat16, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                    uint64_t, std::complex<float>, std::complex<double>>(WEIR_FOR_TYPE(MakeBiasAdd));
}

}  // namespace

void RegisterBiasAdd(OpRegistry& registry) {
  registry.Add({
      .name = "BiasAdd",
      .signature = "value: T, bias: T -> output: T",
      .attrs = {kNumbers, kFormat},
      .shape = BiasAddShape,
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        WEIR_ASSIGN(std::string format, g.Attr<std::string>("data_format"));
        return Gradients{g.d_output(0), BiasAddGrad(g.d_output(0), {.data_format = format})};
      },
      .kernels = WithGpu(BiasKernels(), {.make = MakeGpuBiasAdd, .types = kGpuReals}),
      .traits = {.memory = OutputMemory::kOwn, .fold = FoldStage::kBias},
  });
  registry.Add({
      .name = "BiasAddV1",
      .signature = "value: T, bias: T -> output: T",
      .attrs = {kNumbers},
      .shape = BiasAddShape,
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        return Gradients{g.d_output(0), BiasAddGrad(g.d_output(0))};
      },
      .kernels = WithGpu(BiasKernels(), {.make = MakeGpuBiasAdd, .types = kGpuReals}),
  });
  registry.Add({
      .name = "BiasAddGrad",
      .signature = "out_backprop: T -> output: T",
      .attrs = {kNumbers, kFormat},
      .shape = BiasAddGradShape,
      .gradient = BiasAddGradGradient,
      .kernels = WithGpu(
          CpuKernels<half, bfloat16, float, double, int32_t, int64_t, std::complex<float>, std::complex<double>>(
              WEIR_FOR_TYPE(MakeBiasAddGrad)),
          {.make = MakeGpuBiasAddGrad, .types = kGpuReals}),
      .traits = kOwnMemory,
  });
  registry.Add({
      .name = "L2Loss",
      .signature = "t: T -> output: T",
      .attrs = {"T: {half, bfloat16, float, double}"},
      .shape = ScalarOutputs(),
      .gradient = [](GradientContext& g) -> Result<Gradients> { return Gradients{g.input(0) * g.d_output(0)}; },
      .kernels = WithGpu(CpuKernels<half, bfloat16, float, double>(WEIR_FOR_TYPE(MakeL2Loss)),
                         {.make = MakeGpuL2Loss, .types = kGpuReals}),
      .traits = kOwnMemory,
  });
}

}  // namespace weir::ops

// Average pooling over two and three spatial dimensions, and its gradient. The average is over the elements inside the
// image, so padding does not count. 16-bit floats are summed up as float.
#include "graph/build/array_ops.h"
#include "graph/build/nn_ops.h"
#include "op/gpu_kernel.h"
#include "op/gradient_context.h"
#include "op/shape_context.h"
#include "ops/array/int_inputs.h"
#include "ops/nn/gpu_windows.h"

namespace weir::ops {
namespace {

template <class T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class T>
Result<Kernel> MakeAvgPool(KernelSetup& setup, int dims) {
  const WindowUse use = dims == 2 ? WindowUse::kPoolOfChannel : WindowUse::kPooling;
  WEIR_ASSIGN(const PoolWindow window, PoolWindow::FromAttrs(*setup.node().attrs, dims, use));
  return Kernel::Sync([window](KernelContext& ctx) -> Status {
    const Tensor& x = ctx.input(0);
    WEIR_ASSIGN(const PoolSizes p, PoolSizes::Make(window, x.shape()));
    WEIR_ASSIGN(const Tensor y, ctx.Allocate(0, p.out_shape));
    if (y.num_elements() == 0) return OkStatus();
    const T* in = x.data<T>();
    T* out = y.data<T>();
    return ctx.ParallelFor(p.images * p.out_positions(), p.taps() * p.channels, [&](int64_t begin, int64_t end) {
      std::vector<Wide<T>> sums(static_cast<size_t>(p.channels));
      for (int64_t i = begin; i < end; ++i) {
        const T* image = in + i / p.out_positions() * p.in_positions() * p.channels;
        const PoolSizes::WindowBounds taps = p.WindowAt(i % p.out_positions());
        Wide<T>* sum = sums.data();
        std::fill_n(sum, p.channels, Wide<T>(0));
        p.ForTaps(taps, [&](int64_t at) {
          const T* from = image + at * p.channels;
          for (int64_t c = 0; c < p.channels; ++c) sum[c] += static_cast<Wide<T>>(from[c]);
        });
        const auto count = static_cast<Wide<T>>(taps.taps());
        for (int64_t c = 0; c < p.channels; ++c) out[i * p.channels + c] = static_cast<T>(sum[c] / count);
      }
    });
  });
}

template <class T>
Result<Kernel> MakeAvgPoolGrad(KernelSetup& setup, int dims) {
  const WindowUse use = dims == 2 ? WindowUse::kPoolOfChannel : WindowUse::kPooling;
  WEIR_ASSIGN(const PoolWindow window, PoolWindow::FromAttrs(*setup.node().attrs, dims, use));
  return Kernel::Sync([window](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const Shape shape, ShapeFromTensor(ctx.input(0), "orig_input_shape"));
    WEIR_ASSIGN(const PoolSizes p, PoolSizes::Make(window, shape));
    WEIR_TRY(CheckPooled(p, ctx.input(1), "grad"));
    WEIR_ASSIGN(const Tensor dx, ctx.Allocate(0, shape));
    if (dx.num_elements() == 0) return OkStatus();
    const T* gradients = ctx.input(1).data<T>();
    T* to = dx.data<T>();
    const int64_t cost = std::min<int64_t>(int64_t{1} << 40, p.out_positions() * p.taps() + p.in_positions());
    return ctx.ParallelFor(p.images, cost * p.channels, [&](int64_t begin, int64_t end) {
      const int64_t image_size = p.in_positions() * p.channels;
      std::vector<Wide<T>> sums(static_cast<size_t>(image_size));
      for (int64_t image = begin; image < end; ++image) {
        std::fill(sums.begin(), sums.end(), Wide<T>(0));
        for (int64_t o = 0; o < p.out_positions(); ++o) {
          const T* dy = gradients + (image * p.out_positions() + o) * p.channels;
          const PoolSizes::WindowBounds taps = p.WindowAt(o);
          const Wide<T> share = Wide<T>(1) / static_cast<Wide<T>>(taps.taps());
          p.ForTaps(taps, [&](int64_t at) {
            Wide<T>* sum = sums.data() + at * p.channels;
            for (int64_t c = 0; c < p.channels; ++c) sum[c] += static_cast<Wide<T>>(dy[c]) * share;
          });
        }
        for (int64_t i = 0; i < image_size; ++i)
          to[image * image_size + i] = static_cast<T>(sums[static_cast<size_t>(i)]);
      }
    });
  });
}

// Over two dimensions.
Result<Kernel> MakeAvgPoolOnGpu(KernelSetup& setup, GpuDevice& gpu) {
  WEIR_ASSIGN(const PoolWindow window, PoolWindow::FromAttrs(*setup.node().attrs, 2, WindowUse::kPoolOfChannel));
  WEIR_ASSIGN(std::shared_ptr<GpuStream> stream, gpu.stream());
  return Kernel::Sync([window, &gpu, stream = std::move(stream)](KernelContext& ctx) -> Status {
    const Tensor& x = ctx.input(0);
    WEIR_ASSIGN(const PoolSizes p, PoolSizes::Make(window, x.shape()));
    WEIR_ASSIGN(const Tensor y, gpu.Allocate(ctx, 0, p.out_shape));
    return gpu::AvgPool(*stream, x.dtype(), *GpuWindowOf(p), x.raw(), y.raw());
  });
}

Result<Kernel> MakeAvgPoolGradOnGpu(KernelSetup& setup, GpuDevice& gpu) {
  WEIR_ASSIGN(const PoolWindow window, PoolWindow::FromAttrs(*setup.node().attrs, 2, WindowUse::kPoolOfChannel));
  WEIR_ASSIGN(std::shared_ptr<GpuStream> stream, gpu.stream());
  return Kernel::Sync([window, &gpu, stream = std::move(stream)](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const Shape shape, ShapeFromTensor(ctx.input(0), "orig_input_shape"));
    WEIR_ASSIGN(const PoolSizes p, PoolSizes::Make(window, shape));
    WEIR_TRY(CheckPooled(p, ctx.input(1), "grad"));
    WEIR_ASSIGN(const Tensor dx, gpu.Allocate(ctx, 0, shape));
    return gpu::AvgPoolGrad(*stream, dx.dtype(), *GpuWindowOf(p), ctx.input(1).raw(), dx.raw());
  });
}

// `on_gpu` makes the kernel of pools over two dimensions.
KernelList WithGpuPool(KernelList kernels, int dims, GpuKernel::Make on_gpu) {
  if (dims != 2) return kernels;
  return WithGpu(std::move(kernels), {.make = on_gpu, .types = kGpuReals}, {"orig_input_shape"});
}

ShapeFn AvgPoolGradShape(int dims) {
  return [dims](ShapeContext& ctx) -> Status {
    WEIR_ASSIGN(const PartialShape sizes, ShapeOfInputValue(ctx, 0));
    WEIR_ASSIGN(const PartialShape out, sizes.Merge(PartialShape::OfRank(dims + 2)));
    ctx.set_output(0, out);
    return OkStatus();
  };
}

Result<Gradients> AvgPoolGradient(GradientContext& g) {
  WEIR_ASSIGN(const PoolAttrs a, PoolAttrsOf(g));
  return Gradients{
      AvgPoolGrad(ShapeOf(g.input(0)), g.d_output(0), a.ksize, a.strides, a.padding, {.data_format = a.format})};
}
Result<Gradients> AvgPoolGradGradient(GradientContext& g) {
  WEIR_ASSIGN(const PoolAttrs a, PoolAttrsOf(g));
  return Gradients{std::monostate{}, AvgPool(g.d_output(0), a.ksize, a.strides, a.padding, {.data_format = a.format})};
}
Result<Gradients> AvgPool3DGradient(GradientContext& g) {
  WEIR_ASSIGN(const PoolAttrs a, PoolAttrsOf(g));
  return Gradients{
      AvgPool3DGrad(ShapeOf(g.input(0)), g.d_output(0), a.ksize, a.strides, a.padding, {.data_format = a.format})};
}
Result<Gradients> AvgPool3DGradGradient(GradientContext& g) {
  WEIR_ASSIGN(const PoolAttrs a, PoolAttrsOf(g));
  return Gradients{std::monostate{},
                   AvgPool3D(g.d_output(0), a.ksize, a.strides, a.padding, {.data_format = a.format})};
}

void AddPool(OpRegistry& registry, const char* name, const char* gradient_name, const char* input, int dims,
             GradientFn gradient, GradientFn gradient_of_gradient) {
  const int rank = dims + 2;
  const std::vector<std::string> attrs = {
      fmt::format("ksize: list(int) >= {}", rank), fmt::format("strides: list(int) >= {}", rank),
      "padding: {'SAME', 'VALID'}",
      dims == 2 ? "data_format: {'NHWC', 'NCHW'} = 'NHWC'" : "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'",
      "T: {half, bfloat16, float, double}"};
  registry.Add({
      .name = name,
      .signature = fmt::format("{}: T -> output: T", input),
      .attrs = attrs,
      .shape = PooledShape(dims, PoolShapeChecks::kSpatial),
      .gradient = std::move(gradient),
      .kernels = WithGpuPool(CpuKernels<half, bfloat16, float, double>([dims](auto tag, KernelSetup& setup) {
                               return MakeAvgPool<typename decltype(tag)::type>(setup, dims);
                             }),
                             dims, MakeAvgPoolOnGpu),
  });
  registry.Add({
      .name = gradient_name,
      .signature = "orig_input_shape: int32, grad: T -> output: T",
      .attrs = attrs,
      .shape = AvgPoolGradShape(dims),
      .gradient = std::move(gradient_of_gradient),
      .kernels = WithGpuPool(CpuKernels<half, bfloat16, float, double>([dims](auto tag, KernelSetup& setup) {
                               return MakeAvgPoolGrad<typename decltype(tag)::type>(setup, dims);
                             }),
                             dims, MakeAvgPoolGradOnGpu),
  });
}

}  // namespace

void RegisterAvgPool(OpRegistry& registry) {
  AddPool(registry, "AvgPool", "AvgPoolGrad", "value", 2, AvgPoolGradient, AvgPoolGradGradient);
  AddPool(registry, "AvgPool3D", "AvgPool3DGrad", "input", 3, AvgPool3DGradient, AvgPool3DGradGradient);
}

}  // namespace weir::ops

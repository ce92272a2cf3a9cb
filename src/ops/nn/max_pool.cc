// Max pooling over two and three spatial dimensions, its gradient and second gradient. If several elements of a window
// are the largest, the first one counts. As in TensorFlow, NaN is not propagated reliably.
#include <limits>

#include "graph/build/array_ops.h"
#include "graph/build/nn_ops.h"
#include "op/gpu_kernel.h"
#include "op/gradient_context.h"
#include "op/shape_context.h"
#include "ops/nn/float_loops.h"
#include "ops/nn/gpu_windows.h"

namespace weir::ops {
namespace {

// The loops over the channels of one position that depend on the element type. The kernels below use them through
// pointers, so that they are compiled once and not for every type. Pointers are to elements of the type.
struct PoolLoops {
  int64_t element = 0;  // bytes
  // best[c] = max(best[c], x[c]).
  void (*max)(const void* x, int64_t channels, void* best) = nullptr;
  // The same, and where[c] = at for the channels in which x is larger.
  void (*max_at)(const void* x, int64_t at, int64_t channels, void* best, int64_t* where) = nullptr;
  // to[where[c]] += from[c].
  void (*add)(const void* from, const int64_t* where, int64_t channels, void* to) = nullptr;
  // to[c] = from[where[c]].
  void (*gather)(const void* from, const int64_t* where, int64_t channels, void* to) = nullptr;
  bool is_float = false;
};

template <class T>
PoolLoops LoopsOf() {
  return {
      .element = sizeof(T),
      .max =
          [](const void* from, int64_t channels, void* to) {
            const T* x = static_cast<const T*>(from);
            T* best = static_cast<T*>(to);
            for (int64_t c = 0; c < channels; ++c) best[c] = x[c] > best[c] ? x[c] : best[c];
          },
      .max_at =
          [](const void* from, int64_t at, int64_t channels, void* to, int64_t* where) {
            const T* x = static_cast<const T*>(from);
            T* best = static_cast<T*>(to);
            for (int64_t c = 0; c < channels; ++c) {
              const bool better = x[c] > best[c];
              best[c] = better ? x[c] : best[c];
              where[c] = better ? at : where[c];
            }
          },
      .add =
          [](const void* from, const int64_t* where, int64_t channels, void* to) {
            for (int64_t c = 0; c < channels; ++c) {
              T& sum = static_cast<T*>(to)[where[c]];
              sum = static_cast<T>(sum + static_cast<const T*>(from)[c]);
            }
          },
      .gather =
          [](const void* from, const int64_t* where, int64_t channels, void* to) {
            for (int64_t c = 0; c < channels; ++c) static_cast<T*>(to)[c] = static_cast<const T*>(from)[where[c]];
          },
      .is_float = std::is_same_v<T, float>,
  };
}

const char* BytesOf(const Tensor& t) { return static_cast<const char*>(t.raw()); }
char* MutableBytesOf(const Tensor& t) { return static_cast<char*>(t.raw()); }

Result<PoolWindow> WindowOf(KernelSetup& setup, int dims, WindowUse flat, WindowUse volume) {
  return dims == 2 ? PoolWindow::OfImagesOrChannels(*setup.node().attrs, flat)
                   : PoolWindow::FromAttrs(*setup.node().attrs, dims, volume);
}

Result<Kernel> MakeMaxPool(KernelSetup& setup, int dims, PoolLoops loops) {
  WEIR_ASSIGN(const PoolWindow window, WindowOf(setup, dims, WindowUse::kPoolOfChannel, WindowUse::kPooling));
  return Kernel::Sync([window, loops](KernelContext& ctx) -> Status {
    const Tensor& x = ctx.input(0);
    WEIR_ASSIGN(const PoolSizes p, PoolSizes::Make(window, x.shape()));
    WEIR_ASSIGN(const Tensor y, ctx.Allocate(0, p.out_shape));
    if (y.num_elements() == 0) return OkStatus();
    const int64_t row = p.channels * loops.element;
    return ctx.ParallelFor(p.images * p.out_positions(), p.taps() * p.channels, [&](int64_t begin, int64_t end) {
      std::vector<const char*> taps;
      for (int64_t i = begin; i < end; ++i) {
        const char* image = BytesOf(x) + i / p.out_positions() * p.in_positions() * row;
        char* best = MutableBytesOf(y) + i * row;
        taps.clear();
        p.ForTaps(p.WindowAt(i % p.out_positions()), [&](int64_t at) { taps.push_back(image + at * row); });
        if (loops.is_float) {
          MaxOfTaps(reinterpret_cast<const float* const*>(taps.data()), static_cast<int64_t>(taps.size()), p.channels,
                    reinterpret_cast<float*>(best));
          continue;
        }
        std::copy_n(taps[0], row, best);
        for (const char* tap : taps) loops.max(tap, p.channels, best);
      }
    });
  });
}

// Calls found(image, output position, where) for every window, in parallel over images. where[c] is the index, within
// the image, of the largest element of channel c.
template <class F>
Status ForLargest(KernelContext& ctx, const PoolSizes& p, const PoolLoops& loops, const Tensor& images, F found) {
  const int64_t row = p.channels * loops.element;
  const int64_t cost = std::min<int64_t>(int64_t{1} << 40, p.out_positions() * p.taps()) * p.channels;
  return ctx.ParallelFor(p.images, cost, [&](int64_t begin, int64_t end) {
    std::vector<char> best(static_cast<size_t>(row));
    std::vector<int64_t> where(static_cast<size_t>(p.channels));
    for (int64_t image = begin; image < end; ++image) {
      const char* x = BytesOf(images) + image * p.in_positions() * row;
      for (int64_t o = 0; o < p.out_positions(); ++o) {
        bool first = true;
        p.ForTaps(p.WindowAt(o), [&](int64_t at) {
          if (first) {
            std::copy_n(x + at * row, row, best.data());
            std::fill_n(where.data(), p.channels, at);
            first = false;
          } else {
            loops.max_at(x + at * row, at, p.channels, best.data(), where.data());
          }
        });
        for (int64_t c = 0; c < p.channels; ++c) where[c] = where[c] * p.channels + c;
        found(image, o, where.data());
      }
    }
  });
}

// Returns whether every element of the images lies in exactly one window.
bool Tiles(const PoolSizes& p) {
  for (int i = 0; i < 3; ++i) {
    if (p.stride[i] != p.size[i] || p.out[i] * p.stride[i] - p.before[i] < p.in[i]) return false;
  }
  return true;
}

// The gradient for floats. If the windows tile the image, each element is written once; otherwise gradients are added
// to zeros.
Status FloatGradient(KernelContext& ctx, const PoolSizes& p, const float* in, const float* gradients, float* out) {
  const bool add = !Tiles(p);
  const int64_t image_size = p.in_positions() * p.channels;
  const int64_t cost = std::min<int64_t>(int64_t{1} << 40, p.out_positions() * p.taps()) * p.channels / 4;
  return ctx.ParallelFor(p.images, cost + 1, [&](int64_t begin, int64_t end) {
    std::vector<const float*> taps;
    std::vector<float*> to;
    if (add) std::fill_n(out + begin * image_size, (end - begin) * image_size, 0.0f);
    for (int64_t image = begin; image < end; ++image) {
      for (int64_t o = 0; o < p.out_positions(); ++o) {
        taps.clear();
        to.clear();
        p.ForTaps(p.WindowAt(o), [&](int64_t at) {
          taps.push_back(in + image * image_size + at * p.channels);
          to.push_back(out + image * image_size + at * p.channels);
        });
        MaxGradientOfTaps(taps.data(), to.data(), static_cast<int64_t>(taps.size()), p.channels,
                          gradients + (image * p.out_positions() + o) * p.channels, add);
      }
    }
  });
}

Result<Kernel> MakeMaxPoolGrad(KernelSetup& setup, int dims, PoolLoops loops) {
  WEIR_ASSIGN(const PoolWindow window, WindowOf(setup, dims, WindowUse::kPoolingGradient, WindowUse::kPooling));
  return Kernel::Sync([window, loops](KernelContext& ctx) -> Status {
    const Tensor& x = ctx.input(0);
    const Tensor& gradients = ctx.input(2);
    WEIR_ASSIGN(const PoolSizes p, PoolSizes::Make(window, x.shape()));
    WEIR_TRY(CheckPooled(p, ctx.input(1), "orig_output"));
    WEIR_TRY(CheckPooled(p, gradients, "grad"));
    WEIR_ASSIGN(const Tensor dx, ctx.Allocate(0, x.shape()));
    if (gradients.num_elements() == 0) {
      dx.ZeroFill();
      return OkStatus();
    }
    if (loops.is_float && p.taps() < (1 << 20))
      return FloatGradient(ctx, p, x.data<float>(), gradients.data<float>(), dx.data<float>());
    dx.ZeroFill();
    const int64_t row = p.channels * loops.element;
    return ForLargest(ctx, p, loops, x, [&](int64_t image, int64_t o, const int64_t* where) {
      loops.add(BytesOf(gradients) + (image * p.out_positions() + o) * row, where, p.channels,
                MutableBytesOf(dx) + image * p.in_positions() * row);
    });
  });
}

Result<Kernel> MakeMaxPoolOnGpu(KernelSetup& setup, GpuDevice& gpu) {
  WEIR_ASSIGN(const PoolWindow window, WindowOf(setup, 2, WindowUse::kPoolOfChannel, WindowUse::kPooling));
  WEIR_ASSIGN(std::shared_ptr<GpuStream> stream, gpu.stream());
  return Kernel::Sync([window, &gpu, stream = std::move(stream)](KernelContext& ctx) -> Status {
    const Tensor& x = ctx.input(0);
    WEIR_ASSIGN(const PoolSizes p, PoolSizes::Make(window, x.shape()));
    WEIR_ASSIGN(const Tensor y, gpu.Allocate(ctx, 0, p.out_shape));
    return gpu::MaxPool(*stream, x.dtype(), *GpuWindowOf(p), x.raw(), y.raw());
  });
}

Result<Kernel> MakeMaxPoolGradOnGpu(KernelSetup& setup, GpuDevice& gpu) {
  WEIR_ASSIGN(const PoolWindow window, WindowOf(setup, 2, WindowUse::kPoolingGradient, WindowUse::kPooling));
  WEIR_ASSIGN(std::shared_ptr<GpuStream> stream, gpu.stream());
  return Kernel::Sync([window, &gpu, stream = std::move(stream)](KernelContext& ctx) -> Status {
    const Tensor& x = ctx.input(0);
    WEIR_ASSIGN(const PoolSizes p, PoolSizes::Make(window, x.shape()));
    WEIR_TRY(CheckPooled(p, ctx.input(1), "orig_output"));
    WEIR_TRY(CheckPooled(p, ctx.input(2), "grad"));
    WEIR_ASSIGN(const Tensor dx, gpu.Allocate(ctx, 0, x.shape()));
    return gpu::MaxPoolGrad(*stream, x.dtype(), *GpuWindowOf(p), x.raw(), ctx.input(1).raw(), ctx.input(2).raw(),
                            dx.raw());
  });
}

// Gathers from `grad`, which has the shape of the images, the elements at the positions of the largest inputs.
Result<Kernel> MakeMaxPoolGradGrad(KernelSetup& setup, int dims, PoolLoops loops) {
  WEIR_ASSIGN(const PoolWindow window, WindowOf(setup, dims, WindowUse::kPoolingGradient, WindowUse::kPoolingGradient));
  return Kernel::Sync([window, loops](KernelContext& ctx) -> Status {
    const Tensor& x = ctx.input(0);
    const Tensor& gradients = ctx.input(2);
    WEIR_ASSIGN(const PoolSizes p, PoolSizes::Make(window, x.shape()));
    WEIR_TRY(CheckPooled(p, ctx.input(1), "orig_output"));
    if (!(gradients.shape() == x.shape()))
      return InvalidArgument("grad has the shape {}, but orig_input {}", gradients.shape(), x.shape());
    WEIR_ASSIGN(const Tensor y, ctx.Allocate(0, p.out_shape));
    if (y.num_elements() == 0) return OkStatus();
    const int64_t row = p.channels * loops.element;
    return ForLargest(ctx, p, loops, x, [&](int64_t image, int64_t o, const int64_t* where) {
      loops.gather(BytesOf(gradients) + image * p.in_positions() * row, where, p.channels,
                   MutableBytesOf(y) + (image * p.out_positions() + o) * row);
    });
  });
}

// --- MaxPoolWithArgmax

// Stores where[c] + start for every channel.
template <class Index>
void StoreIndices(const int64_t* where, int64_t start, int64_t channels, Index* to) {
  for (int64_t c = 0; c < channels; ++c) to[c] = static_cast<Index>(where[c] + start);
}

// Output 1 holds element indices within the image or, with include_batch_in_index, within the batch.
Result<Kernel> MakeMaxPoolWithArgmax(KernelSetup& setup, PoolLoops loops) {
  WEIR_ASSIGN(const PoolWindow window, PoolWindow::FromAttrs(*setup.node().attrs, 2, WindowUse::kPoolOfChannel));
  WEIR_ASSIGN(const bool with_batch, setup.Attr<bool>("include_batch_in_index"));
  WEIR_ASSIGN(const DType index_type, setup.Attr<DType>("Targmax"));
  return Kernel::Sync([window, with_batch, loops, narrow = index_type == kInt32](KernelContext& ctx) -> Status {
    const Tensor& x = ctx.input(0);
    WEIR_ASSIGN(const PoolSizes p, PoolSizes::Make(window, x.shape()));
    if (narrow && x.num_elements() > std::numeric_limits<int32_t>::max())
      return InvalidArgument("positions of {} elements do not fit the type of argmax", x.num_elements());
    WEIR_ASSIGN(const Tensor y, ctx.Allocate(0, p.out_shape));
    WEIR_ASSIGN(const Tensor argmax, ctx.Allocate(1, p.out_shape));
    if (y.num_elements() == 0) return OkStatus();
    return ForLargest(ctx, p, loops, x, [&](int64_t image, int64_t o, const int64_t* where) {
      const int64_t image_size = p.in_positions() * p.channels;
      const int64_t row = (image * p.out_positions() + o) * p.channels;
      loops.gather(BytesOf(x) + image * image_size * loops.element, where, p.channels,
                   MutableBytesOf(y) + row * loops.element);
      const int64_t start = with_batch ? image * image_size : 0;
      if (narrow) {
        StoreIndices(where, start, p.channels, argmax.data<int32_t>() + row);
      } else {
        StoreIndices(where, start, p.channels, argmax.data<int64_t>() + row);
      }
    });
  });
}

Result<Kernel> MakeMaxPoolGradWithArgmax(KernelSetup& setup, PoolLoops loops) {
  WEIR_ASSIGN(const PoolWindow window, PoolWindow::FromAttrs(*setup.node().attrs, 2, WindowUse::kPoolOfChannel));
  WEIR_ASSIGN(const bool with_batch, setup.Attr<bool>("include_batch_in_index"));
  return Kernel::Sync([window, with_batch, loops](KernelContext& ctx) -> Status {
    const Tensor& x = ctx.input(0);
    WEIR_ASSIGN(const PoolSizes p, PoolSizes::Make(window, x.shape()));
    WEIR_TRY(CheckPooled(p, ctx.input(1), "grad"));
    WEIR_TRY(CheckPooled(p, ctx.input(2), "argmax"));
    WEIR_ASSIGN(const Tensor dx, ctx.Allocate(0, x.shape()));
    dx.ZeroFill();
    const int64_t in_image = p.in_positions() * p.channels;
    const int64_t out_image = p.out_positions() * p.channels;
    const Tensor& argmax = ctx.input(2);
    for (int64_t i = 0; i < argmax.num_elements(); ++i) {
      const int64_t image = i / out_image;
      const int64_t at = argmax.Int(i) - (with_batch ? image * in_image : 0);
      if (at < 0 || at >= in_image)
        return InvalidArgument("argmax {} is not an element of image {}, which has {}", argmax.Int(i), image, in_image);
      loops.add(BytesOf(ctx.input(1)) + i * loops.element, &at, 1,
                MutableBytesOf(dx) + image * in_image * loops.element);
    }
    return OkStatus();
  });
}

// --- gradients

template <int kDims>
Output PoolGrad(const PoolAttrs& a, Output x, Output y, Output dy) {
  if constexpr (kDims == 2) return MaxPoolGrad(x, y, dy, a.ksize, a.strides, a.padding, {.data_format = a.format});
  return MaxPool3DGrad(x, y, dy, a.ksize, a.strides, a.padding, {.data_format = a.format});
}
template <int kDims>
Output PoolGradGrad(const PoolAttrs& a, Output x, Output y, Output ddx) {
  if constexpr (kDims == 2) return MaxPoolGradGrad(x, y, ddx, a.ksize, a.strides, a.padding, {.data_format = a.format});
  return MaxPool3DGradGrad(x, y, ddx, a.ksize, a.strides, a.padding, {.data_format = a.format});
}

template <int kDims>
Result<Gradients> GradientOfPool(GradientContext& g) {
  WEIR_ASSIGN(const PoolAttrs a, PoolAttrsOf(g));
  return Gradients{PoolGrad<kDims>(a, g.input(0), g.output(0), g.d_output(0))};
}
template <int kDims>
Result<Gradients> GradientOfPoolGrad(GradientContext& g) {
  WEIR_ASSIGN(const PoolAttrs a, PoolAttrsOf(g));
  return Gradients{ZerosLike(g.input(0)), ZerosLike(g.input(1)),
                   PoolGradGrad<kDims>(a, g.input(0), g.input(1), g.d_output(0))};
}
template <int kDims>
Result<Gradients> GradientOfPoolGradGrad(GradientContext& g) {
  WEIR_ASSIGN(const PoolAttrs a, PoolAttrsOf(g));
  return Gradients{ZerosLike(g.input(0)), ZerosLike(g.input(1)),
                   PoolGrad<kDims>(a, g.input(0), g.input(1), g.d_output(0))};
}
Result<Gradients> MaxPoolWithArgmaxGradient(GradientContext& g) {
  WEIR_ASSIGN(const PoolAttrs a, PoolAttrsOf(g));
  WEIR_ASSIGN(const bool with_batch, g.Attr<bool>("include_batch_in_index"));
  return Gradients{MaxPoolGradWithArgmax(g.input(0), g.d_output(0), g.output(1), a.ksize, a.strides, a.padding,
                                         {.include_batch_in_index = with_batch})};
}

// --- registration

// Like PooledShape. `grad` has the shape of the images, and `orig_output` that of the result.
ShapeFn GradGradShape(int dims, PoolShapeChecks checks) {
  return [pooled = PooledShape(dims, checks)](ShapeContext& ctx) -> Status {
    WEIR_TRY(pooled(ctx));
    WEIR_TRY(ctx.input(0).Merge(ctx.input(2)).status());
    WEIR_ASSIGN(const PartialShape out, ctx.input(1).Merge(ctx.output(0)));
    ctx.set_output(0, out);
    return OkStatus();
  };
}

constexpr char kNumbers[] = "T: realnumbertype";
constexpr char kPadding[] = "padding: {'SAME', 'VALID'}";
constexpr char kImageFormat[] = "data_format: {'NHWC', 'NCHW'} = 'NHWC'";
constexpr char kVolumeFormat[] = "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'";

// One kernel per type from make(setup, loops of the type).
template <class... Ts>
KernelList PoolKernels(Result<Kernel> (*make)(KernelSetup&, PoolLoops)) {
  return CpuKernels<Ts...>(
      [make](auto tag, KernelSetup& setup) { return make(setup, LoopsOf<typename decltype(tag)::type>()); });
}
KernelList KernelsOfNumbers(Result<Kernel> (*make)(KernelSetup&, PoolLoops)) {
  return PoolKernels<half, bfloat16, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                     uint64_t>(make);
}

void RegisterFlat(OpRegistry& registry) {
  const std::vector<std::string> windows = {"ksize: list(int) >= 4", "strides: list(int) >= 4", kPadding};
  auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> all = windows;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  registry.Add({
      .name = "MaxPool",
      .signature = "input: T -> output: T",
      .attrs = with(
          {kImageFormat, "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16} = DT_FLOAT"}),
      .shape = PooledShape(2, PoolShapeChecks::kChannels),
      .gradient = GradientOfPool<2>,
      .kernels =
          WithGpu(PoolKernels<half, bfloat16, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t>(
                      [](KernelSetup& setup, PoolLoops loops) { return MakeMaxPool(setup, 2, loops); }),
                  {.make = MakeMaxPoolOnGpu, .types = kGpuReals}),
  });
  registry.Add({
      .name = "MaxPoolGrad",
      .signature = "orig_input: T, orig_output: T, grad: T -> output: T",
      .attrs = with({kImageFormat, std::string(kNumbers) + " = DT_FLOAT"}),
      .shape = SameAsInput(0, {.min_rank = 4, .max_rank = 4}),
      .gradient = GradientOfPoolGrad<2>,
      .kernels = WithGpu(
          KernelsOfNumbers([](KernelSetup& setup, PoolLoops loops) { return MakeMaxPoolGrad(setup, 2, loops); }),
          {.make = MakeMaxPoolGradOnGpu, .types = kGpuReals}),
  });
  registry.Add({
      .name = "MaxPoolGradGrad",
      .signature = "orig_input: T, orig_output: T, grad: T -> output: T",
      .attrs = with({kImageFormat, kNumbers}),
      .shape = GradGradShape(2, PoolShapeChecks::kChannels),
      .gradient = GradientOfPoolGradGrad<2>,
      .kernels =
          KernelsOfNumbers([](KernelSetup& setup, PoolLoops loops) { return MakeMaxPoolGradGrad(setup, 2, loops); }),
  });
  registry.Add({
      .name = "MaxPoolWithArgmax",
      .signature = "input: T -> output: T, argmax: Targmax",
      .attrs = with({"Targmax: {int32, int64} = DT_INT64", "include_batch_in_index: bool = false", kNumbers}),
      .shape = PooledShape(2, PoolShapeChecks::kPositiveWindows),
      .gradient = MaxPoolWithArgmaxGradient,
      .kernels = KernelsOfNumbers(MakeMaxPoolWithArgmax),
  });
  registry.Add({
      .name = "MaxPoolGradWithArgmax",
      .signature = "input: T, grad: T, argmax: Targmax -> output: T",
      .attrs = with({"include_batch_in_index: bool = false", "Targmax: {int32, int64}", kNumbers}),
      .shape = SameAsInput(0, {.min_rank = 4, .max_rank = 4}),
      .kernels = KernelsOfNumbers(MakeMaxPoolGradWithArgmax),
  });
}

void RegisterVolumes(OpRegistry& registry) {
  const std::vector<std::string> windows = {"ksize: list(int) >= 5", "strides: list(int) >= 5", kPadding,
                                            kVolumeFormat};
  auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> all = windows;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  registry.Add({
      .name = "MaxPool3D",
      .signature = "input: T -> output: T",
      .attrs = with({"T: {half, bfloat16, float}"}),
      .shape = PooledShape(3, PoolShapeChecks::kSpatial),
      .gradient = GradientOfPool<3>,
      .kernels = PoolKernels<half, bfloat16, float>(
          [](KernelSetup& setup, PoolLoops loops) { return MakeMaxPool(setup, 3, loops); }),
  });
  registry.Add({
      .name = "MaxPool3DGrad",
      .signature = "orig_input: TInput, orig_output: TInput, grad: T -> output: T",
      .attrs = with({"T: {half, bfloat16, float} = DT_FLOAT", "TInput: {half, bfloat16, float} = DT_FLOAT"}),
      .shape = SameAsInput(0, {.min_rank = 5, .max_rank = 5}),
      .gradient = GradientOfPoolGrad<3>,
      .kernels = PoolKernels<half, bfloat16, float>([](KernelSetup& setup, PoolLoops loops) -> Result<Kernel> {
        WEIR_ASSIGN(const DType images, setup.Attr<DType>("TInput"));
        WEIR_ASSIGN(const DType gradients, setup.Attr<DType>("T"));
        if (images != gradients)
          return InvalidArgument("the gradient has type {}, but the images have type {}: they must be equal", gradients,
                                 images);
        return MakeMaxPoolGrad(setup, 3, loops);
      }),
  });
  registry.Add({
      .name = "MaxPool3DGradGrad",
      .signature = "orig_input: T, orig_output: T, grad: T -> output: T",
      .attrs = with({kNumbers}),
      .shape = GradGradShape(3, PoolShapeChecks::kSpatial),
      .gradient = GradientOfPoolGradGrad<3>,
      .kernels =
          KernelsOfNumbers([](KernelSetup& setup, PoolLoops loops) { return MakeMaxPoolGradGrad(setup, 3, loops); }),
  });
}

}  // namespace

void RegisterMaxPool(OpRegistry& registry) {
  RegisterFlat(registry);
  RegisterVolumes(registry);
}

}  // namespace weir::ops

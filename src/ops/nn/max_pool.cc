// Max pooling over two and three spatial dimensions, its gradient and second gradient. If several elements of a window
// are the largest, the first one counts. As in TensorFlow, NaN is not propagated reliably.
#include <limits>

#include "graph/build/array_ops.h"
#include "graph/build/nn_ops.h"
#include "op/gradient_context.h"
#include "op/shape_context.h"
#include "ops/nn/float_loops.h"
#include "ops/nn/pooling.h"

namespace weir::ops {
namespace {

template <class T>
void MaxOfWindow(const PoolSizes& p, const PoolSizes::Window& window, const T* image, std::vector<const T*>& taps,
                 T* y) {
  taps.clear();
  p.ForTaps(window, [&](int64_t at) { taps.push_back(image + at * p.channels); });
  if constexpr (std::is_same_v<T, float>) {
    MaxOfTaps(taps.data(), static_cast<int64_t>(taps.size()), p.channels, y);
  } else {
    std::copy_n(taps[0], p.channels, y);
    for (const T* x : taps) {
      for (int64_t c = 0; c < p.channels; ++c) y[c] = x[c] > y[c] ? x[c] : y[c];
    }
  }
}

// Finds the positions in the image of the largest elements of a window, per channel. `best` is scratch memory.
template <class T>
void PositionsOfWindow(const PoolSizes& p, const PoolSizes::Window& window, const T* image, T* best, int64_t* where) {
  bool first = true;
  p.ForTaps(window, [&](int64_t at) {
    const T* x = image + at * p.channels;
    if (first) {
      std::copy_n(x, p.channels, best);
      std::fill_n(where, p.channels, at);
      first = false;
    } else {
      for (int64_t c = 0; c < p.channels; ++c) {
        const bool better = x[c] > best[c];
        best[c] = better ? x[c] : best[c];
        where[c] = better ? at : where[c];
      }
    }
  });
}

template <class T>
Result<Kernel> MakeMaxPool(KernelSetup& setup, int dims) {
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
      std::vector<const T*> taps;
      for (int64_t i = begin; i < end; ++i) {
        const T* image = in + i / p.out_positions() * p.in_positions() * p.channels;
        MaxOfWindow(p, p.WindowAt(i % p.out_positions()), image, taps, out + i * p.channels);
      }
    });
  });
}

// Calls found(image, output position, where) for every window, in parallel over images. `where` holds the positions of
// the largest elements.
template <class T, class F>
Status ForPositions(KernelContext& ctx, const PoolSizes& p, const T* in, F found) {
  const int64_t cost = std::min<int64_t>(int64_t{1} << 40, p.out_positions() * p.taps()) * p.channels;
  return ctx.ParallelFor(p.images, cost, [&](int64_t begin, int64_t end) {
    std::vector<T> best(static_cast<size_t>(p.channels));
    std::vector<int64_t> where(static_cast<size_t>(p.channels));
    for (int64_t image = begin; image < end; ++image) {
      const T* x = in + image * p.in_positions() * p.channels;
      for (int64_t o = 0; o < p.out_positions(); ++o) {
        PositionsOfWindow(p, p.WindowAt(o), x, best.data(), where.data());
        found(image, o, where.data());
      }
    }
  });
}

// dx[position of the largest element] += dy.
template <class T>
void AddAtPositions(const PoolSizes& p, const int64_t* where, const T* dy, T* dx) {
  for (int64_t c = 0; c < p.channels; ++c) {
    T& to = dx[where[c] * p.channels + c];
    to = static_cast<T>(to + dy[c]);
  }
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

template <class T>
Result<Kernel> MakeMaxPoolGrad(KernelSetup& setup, int dims) {
  const WindowUse use = dims == 2 ? WindowUse::kPoolingGradient : WindowUse::kPooling;
  WEIR_ASSIGN(const PoolWindow window, PoolWindow::FromAttrs(*setup.node().attrs, dims, use));
  return Kernel::Sync([window](KernelContext& ctx) -> Status {
    const Tensor& x = ctx.input(0);
    WEIR_ASSIGN(const PoolSizes p, PoolSizes::Make(window, x.shape()));
    WEIR_TRY(CheckPooled(p, ctx.input(1), "orig_output"));
    WEIR_TRY(CheckPooled(p, ctx.input(2), "grad"));
    WEIR_ASSIGN(const Tensor dx, ctx.Allocate(0, x.shape()));
    const T* gradients = ctx.input(2).data<T>();
    T* to = dx.data<T>();
    if (ctx.input(2).num_elements() == 0) {
      dx.ZeroFill();
      return OkStatus();
    }
    if constexpr (std::is_same_v<T, float>) {
      if (p.taps() < (1 << 20)) return FloatGradient(ctx, p, x.data<T>(), gradients, to);
    }
    dx.ZeroFill();
    return ForPositions<T>(ctx, p, x.data<T>(), [=, &p](int64_t image, int64_t o, const int64_t* where) {
      AddAtPositions(p, where, gradients + (image * p.out_positions() + o) * p.channels,
                     to + image * p.in_positions() * p.channels);
    });
  });
}

// Gathers from `grad`, which has the shape of the images, the elements at the positions of the largest inputs.
template <class T>
Result<Kernel> MakeMaxPoolGradGrad(KernelSetup& setup, int dims) {
  WEIR_ASSIGN(const PoolWindow window, PoolWindow::FromAttrs(*setup.node().attrs, dims, WindowUse::kPoolingGradient));
  return Kernel::Sync([window](KernelContext& ctx) -> Status {
    const Tensor& x = ctx.input(0);
    WEIR_ASSIGN(const PoolSizes p, PoolSizes::Make(window, x.shape()));
    WEIR_TRY(CheckPooled(p, ctx.input(1), "orig_output"));
    if (!(ctx.input(2).shape() == x.shape()))
      return InvalidArgument("grad has the shape {}, but orig_input {}", ctx.input(2).shape(), x.shape());
    WEIR_ASSIGN(const Tensor y, ctx.Allocate(0, p.out_shape));
    if (y.num_elements() == 0) return OkStatus();
    const T* gradients = ctx.input(2).data<T>();
    T* to = y.data<T>();
    return ForPositions<T>(ctx, p, x.data<T>(), [=, &p](int64_t image, int64_t o, const int64_t* where) {
      const T* from = gradients + image * p.in_positions() * p.channels;
      T* row = to + (image * p.out_positions() + o) * p.channels;
      for (int64_t c = 0; c < p.channels; ++c) row[c] = from[where[c] * p.channels + c];
    });
  });
}

// --- MaxPoolWithArgmax

// Output 1 holds element indices within the image or, with include_batch_in_index, within the batch.
template <class T, class Index>
Result<Kernel> MakeMaxPoolWithArgmax(KernelSetup& setup) {
  WEIR_ASSIGN(const PoolWindow window, PoolWindow::FromAttrs(*setup.node().attrs, 2, WindowUse::kPoolOfChannel));
  WEIR_ASSIGN(const bool with_batch, setup.Attr<bool>("include_batch_in_index"));
  return Kernel::Sync([window, with_batch](KernelContext& ctx) -> Status {
    const Tensor& x = ctx.input(0);
    WEIR_ASSIGN(const PoolSizes p, PoolSizes::Make(window, x.shape()));
    if (x.num_elements() > std::numeric_limits<Index>::max())
      return InvalidArgument("positions of {} elements do not fit the type of argmax", x.num_elements());
    WEIR_ASSIGN(const Tensor y, ctx.Allocate(0, p.out_shape));
    WEIR_ASSIGN(const Tensor argmax, ctx.Allocate(1, p.out_shape));
    if (y.num_elements() == 0) return OkStatus();
    const T* in = x.data<T>();
    T* out = y.data<T>();
    Index* indices = argmax.data<Index>();
    return ForPositions<T>(ctx, p, in, [=, &p](int64_t image, int64_t o, const int64_t* where) {
      const int64_t start = image * p.in_positions() * p.channels;
      const int64_t row = (image * p.out_positions() + o) * p.channels;
      for (int64_t c = 0; c < p.channels; ++c) {
        const int64_t at = where[c] * p.channels + c;
        out[row + c] = in[start + at];
        indices[row + c] = static_cast<Index>(at + (with_batch ? start : 0));
      }
    });
  });
}

template <class T, class Index>
Result<Kernel> MakeMaxPoolGradWithArgmax(KernelSetup& setup) {
  WEIR_ASSIGN(const PoolWindow window, PoolWindow::FromAttrs(*setup.node().attrs, 2, WindowUse::kPoolOfChannel));
  WEIR_ASSIGN(const bool with_batch, setup.Attr<bool>("include_batch_in_index"));
  return Kernel::Sync([window, with_batch](KernelContext& ctx) -> Status {
    const Tensor& x = ctx.input(0);
    WEIR_ASSIGN(const PoolSizes p, PoolSizes::Make(window, x.shape()));
    WEIR_TRY(CheckPooled(p, ctx.input(1), "grad"));
    WEIR_TRY(CheckPooled(p, ctx.input(2), "argmax"));
    WEIR_ASSIGN(const Tensor dx, ctx.Allocate(0, x.shape()));
    dx.ZeroFill();
    const int64_t in_image = p.in_positions() * p.channels;
    const int64_t out_image = p.out_positions() * p.channels;
    const absl::Span<const Index> indices = ctx.input(2).flat<Index>();
    const T* gradients = ctx.input(1).data<T>();
    T* to = dx.data<T>();
    for (size_t i = 0; i < indices.size(); ++i) {
      const int64_t image = static_cast<int64_t>(i) / out_image;
      const int64_t at = indices[i] - (with_batch ? image * in_image : 0);
      if (at < 0 || at >= in_image)
        return InvalidArgument("argmax {} is not an element of image {}, which has {}", indices[i], image, in_image);
      T& sum = to[image * in_image + at];
      sum = static_cast<T>(sum + gradients[i]);
    }
    return OkStatus();
  });
}

// --- gradients

Result<Gradients> MaxPoolGradient(GradientContext& g) {
  WEIR_ASSIGN(const PoolAttrs a, PoolAttrsOf(g));
  return Gradients{
      MaxPoolGrad(g.input(0), g.output(0), g.d_output(0), a.ksize, a.strides, a.padding, {.data_format = a.format})};
}
Result<Gradients> MaxPoolGradGradient(GradientContext& g) {
  WEIR_ASSIGN(const PoolAttrs a, PoolAttrsOf(g));
  return Gradients{
      ZerosLike(g.input(0)), ZerosLike(g.input(1)),
      MaxPoolGradGrad(g.input(0), g.input(1), g.d_output(0), a.ksize, a.strides, a.padding, {.data_format = a.format})};
}
Result<Gradients> MaxPoolGradGradGradient(GradientContext& g) {
  WEIR_ASSIGN(const PoolAttrs a, PoolAttrsOf(g));
  return Gradients{
      ZerosLike(g.input(0)), ZerosLike(g.input(1)),
      MaxPoolGrad(g.input(0), g.input(1), g.d_output(0), a.ksize, a.strides, a.padding, {.data_format = a.format})};
}
Result<Gradients> MaxPool3DGradient(GradientContext& g) {
  WEIR_ASSIGN(const PoolAttrs a, PoolAttrsOf(g));
  return Gradients{
      MaxPool3DGrad(g.input(0), g.output(0), g.d_output(0), a.ksize, a.strides, a.padding, {.data_format = a.format})};
}
Result<Gradients> MaxPool3DGradGradient(GradientContext& g) {
  WEIR_ASSIGN(const PoolAttrs a, PoolAttrsOf(g));
  return Gradients{ZerosLike(g.input(0)), ZerosLike(g.input(1)),
                   MaxPool3DGradGrad(g.input(0), g.input(1), g.d_output(0), a.ksize, a.strides, a.padding,
                                     {.data_format = a.format})};
}
Result<Gradients> MaxPool3DGradGradGradient(GradientContext& g) {
  WEIR_ASSIGN(const PoolAttrs a, PoolAttrsOf(g));
  return Gradients{
      ZerosLike(g.input(0)), ZerosLike(g.input(1)),
      MaxPool3DGrad(g.input(0), g.input(1), g.d_output(0), a.ksize, a.strides, a.padding, {.data_format = a.format})};
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

template <class Make>
KernelList KernelsOfNumbers(Make make) {
  return CpuKernels<half, bfloat16, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                    uint64_t>(make);
}
template <class Make>
KernelList KernelsByIndex(Make make) {
  return KernelsOfNumbers([make](auto tag, KernelSetup& setup) -> Result<Kernel> {
    WEIR_ASSIGN(const DType index, setup.Attr<DType>("Targmax"));
    if (index == kInt32) return make(tag, TypeTag<int32_t>{}, setup);
    return make(tag, TypeTag<int64_t>{}, setup);
  });
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
      .gradient = MaxPoolGradient,
      .kernels = CpuKernels<half, bfloat16, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t>(
          [](auto tag, KernelSetup& setup) { return MakeMaxPool<typename decltype(tag)::type>(setup, 2); }),
  });
  registry.Add({
      .name = "MaxPoolGrad",
      .signature = "orig_input: T, orig_output: T, grad: T -> output: T",
      .attrs = with({kImageFormat, std::string(kNumbers) + " = DT_FLOAT"}),
      .shape = SameAsInput(0, {.min_rank = 4, .max_rank = 4}),
      .gradient = MaxPoolGradGradient,
      .kernels = KernelsOfNumbers(
          [](auto tag, KernelSetup& setup) { return MakeMaxPoolGrad<typename decltype(tag)::type>(setup, 2); }),
  });
  registry.Add({
      .name = "MaxPoolGradGrad",
      .signature = "orig_input: T, orig_output: T, grad: T -> output: T",
      .attrs = with({kImageFormat, kNumbers}),
      .shape = GradGradShape(2, PoolShapeChecks::kChannels),
      .gradient = MaxPoolGradGradGradient,
      .kernels = KernelsOfNumbers(
          [](auto tag, KernelSetup& setup) { return MakeMaxPoolGradGrad<typename decltype(tag)::type>(setup, 2); }),
  });
  registry.Add({
      .name = "MaxPoolWithArgmax",
      .signature = "input: T -> output: T, argmax: Targmax",
      .attrs = with({"Targmax: {int32, int64} = DT_INT64", "include_batch_in_index: bool = false", kNumbers}),
      .shape = PooledShape(2, PoolShapeChecks::kPositiveWindows),
      .gradient = MaxPoolWithArgmaxGradient,
      .kernels = KernelsByIndex([]<class T, class I>(TypeTag<T>, TypeTag<I>, KernelSetup& setup) {
        return MakeMaxPoolWithArgmax<T, I>(setup);
      }),
  });
  registry.Add({
      .name = "MaxPoolGradWithArgmax",
      .signature = "input: T, grad: T, argmax: Targmax -> output: T",
      .attrs = with({"include_batch_in_index: bool = false", "Targmax: {int32, int64}", kNumbers}),
      .shape = SameAsInput(0, {.min_rank = 4, .max_rank = 4}),
      .kernels = KernelsByIndex([]<class T, class I>(TypeTag<T>, TypeTag<I>, KernelSetup& setup) {
        return MakeMaxPoolGradWithArgmax<T, I>(setup);
      }),
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
      .gradient = MaxPool3DGradient,
      .kernels = CpuKernels<half, bfloat16, float>(
          [](auto tag, KernelSetup& setup) { return MakeMaxPool<typename decltype(tag)::type>(setup, 3); }),
  });
  registry.Add({
      .name = "MaxPool3DGrad",
      .signature = "orig_input: TInput, orig_output: TInput, grad: T -> output: T",
      .attrs = with({"T: {half, bfloat16, float} = DT_FLOAT", "TInput: {half, bfloat16, float} = DT_FLOAT"}),
      .shape = SameAsInput(0, {.min_rank = 5, .max_rank = 5}),
      .gradient = MaxPool3DGradGradient,
      .kernels = CpuKernels<half, bfloat16, float>([](auto tag, KernelSetup& setup) -> Result<Kernel> {
        WEIR_ASSIGN(const DType images, setup.Attr<DType>("TInput"));
        WEIR_ASSIGN(const DType gradients, setup.Attr<DType>("T"));
        if (images != gradients)
          return InvalidArgument("the gradient has type {}, but the images have type {}: they must be equal", gradients,
                                 images);
        return MakeMaxPoolGrad<typename decltype(tag)::type>(setup, 3);
      }),
  });
  registry.Add({
      .name = "MaxPool3DGradGrad",
      .signature = "orig_input: T, orig_output: T, grad: T -> output: T",
      .attrs = with({kNumbers}),
      .shape = GradGradShape(3, PoolShapeChecks::kSpatial),
      .gradient = MaxPool3DGradGradGradient,
      .kernels = KernelsOfNumbers(
          [](auto tag, KernelSetup& setup) { return MakeMaxPoolGradGrad<typename decltype(tag)::type>(setup, 3); }),
  });
}

}  // namespace

void RegisterMaxPool(OpRegistry& registry) {
  RegisterFlat(registry);
  RegisterVolumes(registry);
}

}  // namespace weir::ops

// FractionalMaxPool, FractionalAvgPool and their gradients: pooling over windows whose borders are drawn at random, so
// that an image shrinks by a ratio that need not be an integer.
#include <array>
#include <atomic>
#include <cmath>

#include "graph/build/array_ops.h"
#include "graph/build/image_ops.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/int_inputs.h"
#include "ops/math/random_fill.h"

namespace weir::ops {
namespace {

constexpr int kPooledRank = 4;
constexpr std::array<const char*, kPooledRank> kAxisNames = {"batch", "row", "column", "channel"};

Status CheckRatios(const std::vector<float>& ratios) {
  if (ratios.size() != kPooledRank) return InvalidArgument("pooling_ratio must have 4 numbers, got {}", ratios.size());
  for (int i = 0; i < kPooledRank; ++i) {
    if (!(ratios[i] >= 1)) return InvalidArgument("pooling_ratio cannot be smaller than 1, got: {}", ratios[i]);
  }
  return OkStatus();
}

// The borders of the windows along an axis of `input` elements: `output` + 1 increasing numbers from 0 to `input`.
Ints RandomBorders(int64_t input, int64_t output, Philox generator, bool pseudo_random) {
  const int64_t least = input / output;
  Ints sizes(static_cast<size_t>(output), least);
  SingleSamples random(generator);
  if (pseudo_random && input % output != 0) {
    const double alpha = static_cast<double>(input) / static_cast<double>(output);
    const double limit = std::min(static_cast<double>(least + 2) / alpha - 1,
                                  static_cast<double>(input + 1 - least) / alpha - static_cast<double>(output - 1));
    const uint32_t high = random(), low = random();
    const double u = UnitDouble(high, low) * limit;
    int64_t begin = 1;
    for (int64_t i = 0; i < output; ++i) {
      const int64_t end =
          i + 1 < output ? static_cast<int64_t>(std::ceil(alpha * (static_cast<double>(i + 1) + u))) : input + 1;
      sizes[i] = end - begin;
      begin = end;
    }
  } else if (input % output != 0) {
    for (int64_t i = 0; i < input % output; ++i) ++sizes[i];
    for (int64_t i = 0; i + 1 < output; ++i)
      std::swap(sizes[i], sizes[i + random() % static_cast<uint32_t>(output - i)]);
  }
  Ints borders{0};
  for (const int64_t size : sizes) borders.push_back(borders.back() + size);
  return borders;
}

// The windows of all images. A window of an axis is [borders[i], End(borders, i)).
struct PoolRegions {
  Ints rows, cols;
  bool overlapping = false;
  int64_t End(const Ints& borders, int64_t i) const {
    return overlapping ? std::min(borders[i + 1] + 1, borders.back()) : borders[i + 1];
  }
  int64_t out_rows() const { return static_cast<int64_t>(rows.size()) - 1; }
  int64_t out_cols() const { return static_cast<int64_t>(cols.size()) - 1; }
  // Calls f(element of the image, in rows of channels) for the elements of a window.
  template <class F>
  void ForWindow(int64_t row, int64_t col, F f) const {
    for (int64_t y = rows[row]; y < End(rows, row); ++y) {
      for (int64_t x = cols[col]; x < End(cols, col); ++x) f(y * cols.back() + x);
    }
  }
};

template <class T, bool kMax>
Status RunPool(KernelContext& ctx, const PoolRegions& p, const Tensor& in) {
  const int64_t channels = in.dim(3), image = in.dim(1) * in.dim(2) * channels;
  WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, Shape{in.dim(0), p.out_rows(), p.out_cols(), channels}));
  const int64_t positions = p.out_rows() * p.out_cols();
  return ctx.ParallelFor(in.dim(0) * positions, 8 * channels, [&](int64_t at) {
    const T* from = in.data<T>() + at / positions * image;
    const int64_t row = at % positions / p.out_cols(), col = at % p.out_cols();
    for (int64_t c = 0; c < channels; ++c) {
      bool first = true;
      T value{};
      int64_t count = 0;
      p.ForWindow(row, col, [&](int64_t element) {
        const T x = from[element * channels + c];
        if constexpr (kMax) {
          if (first || x > value) value = x;
        } else {
          value = static_cast<T>(value + x);
        }
        first = false;
        ++count;
      });
      if constexpr (!kMax) value = static_cast<T>(value / static_cast<T>(std::max<int64_t>(count, 1)));
      out.data<T>()[at * channels + c] = value;
    }
  });
}

template <class T, bool kMax>
Result<Kernel> MakePool(KernelSetup& setup) {
  WEIR_ASSIGN(const std::vector<float> ratios, setup.Attr<std::vector<float>>("pooling_ratio"));
  WEIR_TRY(CheckRatios(ratios));
  if (ratios[0] != 1 || ratios[3] != 1)
    return Unimplemented("Fractional pooling is not yet supported on the batch nor channel dimension.");
  WEIR_ASSIGN(const bool pseudo_random, setup.Attr<bool>("pseudo_random"));
  WEIR_ASSIGN(const bool overlapping, setup.Attr<bool>("overlapping"));
  WEIR_ASSIGN(const bool deterministic, setup.Attr<bool>("deterministic"));
  WEIR_ASSIGN(const int64_t seed, setup.Attr<int64_t>("seed"));
  WEIR_ASSIGN(const int64_t seed2, setup.Attr<int64_t>("seed2"));
  if (!deterministic && (seed != 0 || seed2 != 0))
    return InvalidArgument("Both seed and seed2 should be 0 if deterministic is false.");
  WEIR_ASSIGN(std::shared_ptr<NodeGenerator> generator, NodeGenerator::Make(setup));
  const Philox start = generator->Reserve(0);
  return Kernel::Sync([=](KernelContext& ctx) -> Status {
    const Tensor& in = ctx.input(0);
    if (in.rank() != kPooledRank) return InvalidArgument("value must be 4-dimensional, got shape {}", in.shape());
    std::array<int64_t, kPooledRank> sizes{};
    for (int i = 0; i < kPooledRank; ++i) {
      if (in.dim(i) < ratios[i])
        return InvalidArgument(
            "Pooling ratio is higher than input dimension size for dimension {} ({}). Input dim size: "
            "{} pooling ratio: {}",
            i, kAxisNames[i], in.dim(i), ratios[i]);
      sizes[i] = static_cast<int64_t>(std::floor(static_cast<float>(in.dim(i)) / ratios[i]));
    }
    NodeGenerator again(start);
    NodeGenerator& random = deterministic ? again : *generator;
    PoolRegions p{.overlapping = overlapping};
    for (const auto& [borders, axis] : {std::pair(&p.rows, 1), std::pair(&p.cols, 2)}) {
      const auto samples = static_cast<uint64_t>(pseudo_random ? 2 : sizes[axis]);
      *borders = RandomBorders(in.dim(axis), sizes[axis], random.Reserve((samples + 3) / 4), pseudo_random);
    }
    for (const auto& [borders, output] : {std::pair(&p.rows, 1), std::pair(&p.cols, 2)}) {
      WEIR_ASSIGN(Tensor made, IntVector(kInt64, *borders));
      ctx.set_output(output, std::move(made));
    }
    return RunPool<T, kMax>(ctx, p, in);
  });
}

Result<PoolRegions> RegionsOf(const Tensor& rows, const Tensor& cols, bool overlapping, const Shape& image,
                              const Shape& pooled) {
  PoolRegions p{.overlapping = overlapping};
  for (const auto& [borders, given, axis] : {std::tuple(&p.rows, &rows, 1), std::tuple(&p.cols, &cols, 2)}) {
    WEIR_ASSIGN(*borders, VectorInts(*given, "a pooling sequence"));
    const bool fits = static_cast<int64_t>(borders->size()) == pooled[axis] + 1 && borders->front() == 0 &&
                      borders->back() == image[axis] && std::is_sorted(borders->begin(), borders->end());
    if (!fits)
      return InvalidArgument("the pooling sequence of dimension {} must rise from 0 to {} in {} steps", axis,
                             image[axis], pooled[axis]);
  }
  return p;
}

// Adds each gradient to the largest element of its window, or distributes it over the window. `in` and its largest
// elements `pooled_in` are null without kMax.
template <class T, bool kMax>
Status RunPoolGradient(KernelContext& ctx, const PoolRegions& p, const Tensor* in, const Tensor* pooled_in,
                       const Tensor& dy, const Shape& shape) {
  WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, shape));
  out.ZeroFill();
  const int64_t channels = shape[3], image = shape[1] * shape[2] * channels;
  const int64_t pooled = p.out_rows() * p.out_cols() * channels;
  std::atomic<bool> agrees = true;
  WEIR_TRY(ctx.ParallelFor(shape[0], 8 * image, [&](int64_t i) {
    T* to = out.data<T>() + i * image;
    for (int64_t at = 0; at < pooled; ++at) {
      const int64_t c = at % channels, row = at / channels / p.out_cols(), col = at / channels % p.out_cols();
      const T gradient = dy.data<T>()[i * pooled + at];
      if constexpr (kMax) {
        const T* from = in->data<T>() + i * image;
        int64_t best = -1;
        p.ForWindow(row, col, [&](int64_t element) {
          const int64_t index = element * channels + c;
          if (best < 0 || from[index] > from[best]) best = index;
        });
        if (best < 0) continue;
        const T largest = from[best], given = pooled_in->data<T>()[i * pooled + at];
        const bool is_nan = largest != largest;
        if (largest != given && !is_nan) agrees = false;
        to[best] = static_cast<T>(to[best] + gradient);
      } else {
        int64_t count = 0;
        p.ForWindow(row, col, [&](int64_t) { ++count; });
        if (count == 0) continue;
        const T part = static_cast<T>(gradient / static_cast<T>(count));
        p.ForWindow(row, col, [&](int64_t element) {
          T& sum = to[element * channels + c];
          sum = static_cast<T>(sum + part);
        });
      }
    }
  }));
  if (agrees) return OkStatus();
  return InvalidArgument("tensor_out_dup is not the same as tensor_out: orig_output was not made from orig_input");
}

template <class T>
Result<Kernel> MakeMaxGradient(KernelSetup& setup) {
  WEIR_ASSIGN(const bool overlapping, setup.Attr<bool>("overlapping"));
  return Kernel::Sync([overlapping](KernelContext& ctx) -> Status {
    const Tensor &in = ctx.input(0), &out = ctx.input(1), &dy = ctx.input(2);
    if (in.rank() != kPooledRank || dy.rank() != kPooledRank)
      return InvalidArgument("the images must be 4-dimensional, got {} and {}", in.shape(), dy.shape());
    if (!(out.shape() == dy.shape()) || dy.dim(0) != in.dim(0) || dy.dim(3) != in.dim(3))
      return InvalidArgument("the shapes {} and {} do not match that of the images, {}", out.shape(), dy.shape(),
                             in.shape());
    WEIR_ASSIGN(const PoolRegions p, RegionsOf(ctx.input(3), ctx.input(4), overlapping, in.shape(), dy.shape()));
    return RunPoolGradient<T, true>(ctx, p, &in, &out, dy, in.shape());
  });
}

template <class T>
Result<Kernel> MakeAvgGradient(KernelSetup& setup) {
  WEIR_ASSIGN(const bool overlapping, setup.Attr<bool>("overlapping"));
  return Kernel::Sync([overlapping](KernelContext& ctx) -> Status {
    const Tensor& dy = ctx.input(1);
    WEIR_ASSIGN(const Shape shape, ShapeFromTensor(ctx.input(0), "orig_input_tensor_shape"));
    if (shape.rank() != kPooledRank)
      return InvalidArgument("original input tensor shape must be 1-dimensional and 4 elements, but is {}", shape);
    if (dy.rank() != kPooledRank || dy.dim(0) != shape[0] || dy.dim(3) != shape[3])
      return InvalidArgument("the gradient has shape {}, which does not match images of shape {}", dy.shape(), shape);
    WEIR_ASSIGN(const PoolRegions p, RegionsOf(ctx.input(2), ctx.input(3), overlapping, shape, dy.shape()));
    return RunPoolGradient<T, false>(ctx, p, nullptr, nullptr, dy, shape);
  });
}

Status PoolShapes(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape in, ctx.WithRank(0, kPooledRank));
  WEIR_ASSIGN(const std::vector<float> ratios, ctx.Attr<std::vector<float>>("pooling_ratio"));
  WEIR_TRY(CheckRatios(ratios));
  DimVector dims(kPooledRank, kUnknownDim);
  for (int i = 0; i < kPooledRank && in.known_rank(); ++i) {
    if (in[i] >= 0) dims[i] = static_cast<int64_t>(std::floor(static_cast<float>(in[i]) / ratios[i]));
  }
  ctx.set_output(1, PartialShape{AddDims(dims[1], 1)});
  ctx.set_output(2, PartialShape{AddDims(dims[2], 1)});
  ctx.set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

Status MaxGradientShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape in, ctx.WithRank(0, kPooledRank));
  ctx.set_output(0, std::move(in));
  return OkStatus();
}

Status AvgGradientShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape shape, ShapeArgument(ctx, 0));
  const bool has_rank = shape.known_rank();
  ctx.set_output(0, has_rank ? std::move(shape) : PartialShape::OfRank(kPooledRank));
  return OkStatus();
}

Result<Gradients> MaxPoolGradient(GradientContext& g) {
  WEIR_ASSIGN(const bool overlapping, g.Attr<bool>("overlapping"));
  return Gradients{FractionalMaxPoolGrad(g.input(0), g.output(0), g.d_output(0), g.output(1), g.output(2),
                                         {.overlapping = overlapping})};
}

Result<Gradients> AvgPoolGradient(GradientContext& g) {
  WEIR_ASSIGN(const bool overlapping, g.Attr<bool>("overlapping"));
  return Gradients{FractionalAvgPoolGrad(ShapeOf(g.input(0), {.out_type = kInt64}), g.d_output(0), g.output(1),
                                         g.output(2), {.overlapping = overlapping})};
}

template <bool kMax>
void AddPool(OpRegistry& registry) {
  registry.Add({
      .name = kMax ? "FractionalMaxPool" : "FractionalAvgPool",
      .signature = "value: T -> output: T, row_pooling_sequence: int64, col_pooling_sequence: int64",
      .attrs = {"pooling_ratio: list(float) >= 4", "pseudo_random: bool = false", "overlapping: bool = false",
                "deterministic: bool = false", "seed: int = 0", "seed2: int = 0", "T: {float, double, int32, int64}"},
      .shape = PoolShapes,
      .gradient = kMax ? MaxPoolGradient : AvgPoolGradient,
      .kernels = CpuKernels<float, double, int32_t, int64_t>(
          [](auto tag, KernelSetup& setup) { return MakePool<typename decltype(tag)::type, kMax>(setup); }),
  });
}

}  // namespace

void RegisterFractionalPool(OpRegistry& registry) {
  AddPool<true>(registry);
  AddPool<false>(registry);
  registry.Add({
      .name = "FractionalMaxPoolGrad",
      .signature = "orig_input: T, orig_output: T, out_backprop: T, row_pooling_sequence: int64, col_pooling_sequence: "
                   "int64 -> output: T",
      .attrs = {"overlapping: bool = false", "T: {float, double, int32, int64}"},
      .shape = MaxGradientShape,
      .kernels = CpuKernels<float, double, int32_t, int64_t>(WEIR_FOR_TYPE(MakeMaxGradient)),
  });
  registry.Add({
      .name = "FractionalAvgPoolGrad",
      .signature =
          "orig_input_tensor_shape: int64, out_backprop: T, row_pooling_sequence: int64, col_pooling_sequence: "
          "int64 -> output: T",
      .attrs = {"overlapping: bool = false", "T: {float, double, int32, int64}"},
      .shape = AvgGradientShape,
      .kernels = CpuKernels<float, double, int32_t, int64_t>(WEIR_FOR_TYPE(MakeAvgGradient)),
  });
}

}  // namespace weir::ops

// Fused batch normalization along the channels, in its three versions, and its gradients. y = (x - mean) /
// sqrt(variance + epsilon) * scale + offset. In training, mean and variance are those of the batch; in inference they
// are inputs. Training outputs the unbiased variance for the running average.
#include <cmath>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "op/gradient_context.h"
#include "op/kernel.h"
#include "op/shape_context.h"
#include "ops/nn/channel_view.h"

namespace weir::ops {
namespace {

struct Norm {
  float epsilon = 0;
  bool training = true;
  bool channels_first = false;
  int rank = 4;

  static Result<Norm> Make(KernelSetup& setup) {
    Norm n;
    WEIR_ASSIGN(n.epsilon, setup.Attr<float>("epsilon"));
    WEIR_ASSIGN(n.training, setup.Attr<bool>("is_training"));
    WEIR_ASSIGN(const std::string format, setup.Attr<std::string>("data_format"));
    n.channels_first = format.starts_with("NC");
    n.rank = static_cast<int>(format.size());
    return n;
  }

  Result<ChannelView> View(const Tensor& x) const {
    if (x.rank() != rank) return InvalidArgument("input must be {}-dimensional, but has the shape {}", rank, x.shape());
    return ChannelView(x.shape(), channels_first ? 1 : rank - 1);
  }
};

Status CheckVector(const Tensor& t, int64_t channels, const char* what) {
  if (t.rank() != 1 || t.dim(0) != channels)
    return InvalidArgument("{} must be a vector of {} elements, one per channel, but has the shape {}", what, channels,
                           t.shape());
  return OkStatus();
}

using Sums = std::vector<double>;

// Returns per channel the sum of add(element, channel) over all elements of the channel.
template <class Add>
Sums SumsByChannel(const ChannelView& v, Add add) {
  Sums sums(static_cast<size_t>(v.channels), 0.0);
  if (v.inner == 1) {
    std::vector<float> part(static_cast<size_t>(v.channels));
    constexpr int64_t kBlock = 64;  // short float sums lose little precision
    for (int64_t start = 0; start < v.outer; start += kBlock) {
      std::fill(part.begin(), part.end(), 0.0f);
      for (int64_t o = start; o < std::min(v.outer, start + kBlock); ++o)
        for (int64_t c = 0; c < v.channels; ++c) part[static_cast<size_t>(c)] += add(o * v.channels + c, c);
      for (size_t c = 0; c < part.size(); ++c) sums[c] += static_cast<double>(part[c]);
    }
    return sums;
  }
  v.ForRuns([&](int64_t first, int64_t c) {
    double sum = 0;
    for (int64_t i = 0; i < v.inner; ++i) sum += static_cast<double>(add(first + i, c));
    sums[static_cast<size_t>(c)] += sum;
  });
  return sums;
}

// Calls f(i, channel) for all elements i, in parallel.
template <class F>
Status ForElements(KernelContext& ctx, const ChannelView& v, F f) {
  return ctx.ParallelFor(v.outer, 2 * v.channels * v.inner, [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      for (int64_t c = 0; c < v.channels; ++c) {
        const int64_t first = (o * v.channels + c) * v.inner;
        for (int64_t i = 0; i < v.inner; ++i) f(first + i, c);
      }
    }
  });
}

Result<Tensor> Copied(KernelContext& ctx, int output, const std::vector<float>& values) {
  WEIR_ASSIGN(Tensor t, ctx.Allocate(output, Shape{static_cast<int64_t>(values.size())}));
  std::copy(values.begin(), values.end(), t.data<float>());
  return t;
}

// Version 3 has an additional output, which is empty here.
template <class T>
Result<Kernel> MakeForward(KernelSetup& setup) {
  WEIR_ASSIGN(const Norm norm, Norm::Make(setup));
  return Kernel::Sync([norm](KernelContext& ctx) -> Status {
    const Tensor& x = ctx.input(0);
    WEIR_ASSIGN(const ChannelView v, norm.View(x));
    WEIR_TRY(CheckVector(ctx.input(1), v.channels, "scale"));
    WEIR_TRY(CheckVector(ctx.input(2), v.channels, "offset"));
    if (ctx.input(3).rank() != 1)
      return InvalidArgument("estimated_mean must be 1-dimensional{}", ctx.input(3).shape());
    if (ctx.input(4).rank() != 1)
      return InvalidArgument("estimated_variance must be 1-dimensional{}", ctx.input(4).shape());
    if (!norm.training) {
      WEIR_TRY(CheckVector(ctx.input(3), v.channels, "mean"));
      WEIR_TRY(CheckVector(ctx.input(4), v.channels, "variance"));
    }
    const auto channels = static_cast<size_t>(v.channels);
    WEIR_ASSIGN(const Tensor y, ctx.Allocate(0, x.shape()));
    const T* in = x.data<T>();
    T* out = y.data<T>();
    std::vector<float> mean(channels, 0.0f), variance(channels, 0.0f);
    if (!norm.training) {
      std::copy_n(ctx.input(3).data<float>(), channels, mean.begin());
      std::copy_n(ctx.input(4).data<float>(), channels, variance.begin());
    } else if (v.per_channel() > 0) {
      const auto count = static_cast<double>(v.per_channel());
      const Sums sums = SumsByChannel(v, [=](int64_t i, int64_t) { return static_cast<float>(in[i]); });
      for (size_t c = 0; c < channels; ++c) mean[c] = static_cast<float>(sums[c] / count);
      const float* m = mean.data();
      const Sums squares = SumsByChannel(v, [=](int64_t i, int64_t c) {
        const float d = static_cast<float>(in[i]) - m[c];
        return d * d;
      });
      for (size_t c = 0; c < channels; ++c) variance[c] = static_cast<float>(squares[c] / count);
    }
    std::vector<float> factor(channels), shift(channels), unbiased(variance);
    const bool empty = norm.training && v.per_channel() == 0;
    for (size_t c = 0; c < channels; ++c) {
      factor[c] = ctx.input(1).data<float>()[c] / std::sqrt(variance[c] + norm.epsilon);
      shift[c] = ctx.input(2).data<float>()[c] - mean[c] * factor[c];
      if (norm.training && v.per_channel() > 1)
        unbiased[c] *=
            static_cast<float>(static_cast<double>(v.per_channel()) / static_cast<double>(v.per_channel() - 1));
      if (empty) mean[c] = variance[c] = unbiased[c] = std::nanf("");
    }
    WEIR_TRY(Copied(ctx, 1, mean).status());
    WEIR_TRY(Copied(ctx, 2, unbiased).status());
    WEIR_TRY(Copied(ctx, 3, mean).status());
    WEIR_TRY(Copied(ctx, 4, variance).status());
    for (int i = 5; i < ctx.num_outputs(); ++i) WEIR_TRY(ctx.Allocate(i, Shape{0}).status());
    const float *f = factor.data(), *s = shift.data();
    return ForElements(ctx, v, [=](int64_t i, int64_t c) { out[i] = T(static_cast<float>(in[i]) * f[c] + s[c]); });
  });
}

// With n elements per channel, xc = x - mean and r = 1 / sqrt(variance + epsilon):
// training: dx = scale * r * (dy - sum(dy) / n - xc * r^2 * sum(dy * xc) / n); inference: dx = scale * r * dy.
template <class T>
Result<Kernel> MakeGradient(KernelSetup& setup) {
  WEIR_ASSIGN(const Norm norm, Norm::Make(setup));
  return Kernel::Sync([norm](KernelContext& ctx) -> Status {
    const Tensor& x = ctx.input(1);
    WEIR_ASSIGN(const ChannelView v, norm.View(x));
    if (!(ctx.input(0).shape() == x.shape()))
      return InvalidArgument("x and y_backprop must have same shape, but x has shape {} and y_backprop has shape {}",
                             x.shape(), ctx.input(0).shape());
    WEIR_TRY(CheckVector(ctx.input(2), v.channels, "scale"));
    WEIR_TRY(CheckVector(ctx.input(3), v.channels, "reserve_space_1"));
    WEIR_TRY(CheckVector(ctx.input(4), v.channels, "reserve_space_2"));
    WEIR_ASSIGN(const Tensor dx, ctx.Allocate(0, x.shape()));
    const auto channels = static_cast<size_t>(v.channels);
    const T *dy = ctx.input(0).data<T>(), *in = x.data<T>();
    T* out = dx.data<T>();
    const float *scale = ctx.input(2).data<float>(), *mean = ctx.input(3).data<float>(),
                *variance = ctx.input(4).data<float>();
    const Sums sums = SumsByChannel(v, [=](int64_t i, int64_t) { return static_cast<float>(dy[i]); });
    const Sums products = SumsByChannel(
        v, [=](int64_t i, int64_t c) { return static_cast<float>(dy[i]) * (static_cast<float>(in[i]) - mean[c]); });
    std::vector<float> d_scale(channels), d_offset(channels), factor(channels), level(channels), slope(channels);
    const double count = static_cast<double>(std::max<int64_t>(1, v.per_channel()));
    for (size_t c = 0; c < channels; ++c) {
      const double r = 1 / std::sqrt(static_cast<double>(variance[c]) + static_cast<double>(norm.epsilon));
      d_offset[c] = static_cast<float>(sums[c]);
      d_scale[c] = static_cast<float>(products[c] * r);
      factor[c] = static_cast<float>(static_cast<double>(scale[c]) * r);
      level[c] = norm.training ? static_cast<float>(sums[c] / count) : 0.0f;
      slope[c] = norm.training ? static_cast<float>(products[c] * r * r / count) : 0.0f;
    }
    WEIR_TRY(Copied(ctx, 1, d_scale).status());
    WEIR_TRY(Copied(ctx, 2, d_offset).status());
    for (int i = 3; i < 5; ++i) {
      WEIR_ASSIGN(const Tensor unused, ctx.Allocate(i, Shape{}));
      unused.ZeroFill();
    }
    const float *f = factor.data(), *l = level.data(), *s = slope.data();
    return ForElements(ctx, v, [=](int64_t i, int64_t c) {
      out[i] = T(f[c] * (static_cast<float>(dy[i]) - l[c] - (static_cast<float>(in[i]) - mean[c]) * s[c]));
    });
  });
}

// --- shapes

// Merges the shape of the images with the number of channels given by the vectors in inputs [first, last].
Result<PartialShape> MergedImages(ShapeContext& ctx, int images, int first, int last) {
  WEIR_ASSIGN(const std::string format, ctx.Attr<std::string>("data_format"));
  WEIR_ASSIGN(PartialShape x, ctx.WithRank(images, static_cast<int>(format.size())));
  if (!x.known_rank()) x = PartialShape::OfRank(static_cast<int>(format.size()));
  const int axis = format.starts_with("NC") ? 1 : static_cast<int>(format.size()) - 1;
  for (int i = first; i <= last; ++i) {
    WEIR_ASSIGN(const PartialShape vector, ctx.WithRank(i, 1));
    if (!vector.known_rank()) continue;
    WEIR_ASSIGN(const int64_t channels, MergeDims(x[axis], vector[0]));
    x.SetDim(axis, channels);
  }
  return x;
}
int64_t ChannelsOf(ShapeContext& ctx, const PartialShape& x) {
  const Result<std::string> format = ctx.Attr<std::string>("data_format");
  return format.ok() && format->starts_with("NC") ? x[1] : x[x.rank() - 1];
}

Status ForwardShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const bool training, ctx.Attr<bool>("is_training"));
  WEIR_ASSIGN(const PartialShape x, MergedImages(ctx, 0, 1, training ? 2 : 4));
  ctx.set_output(0, x);
  for (int i = 1; i < 5; ++i) ctx.set_output(i, PartialShape{ChannelsOf(ctx, x)});
  return OkStatus();
}

Status GradientShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape x, MergedImages(ctx, 1, 2, 4));
  WEIR_ASSIGN(const PartialShape dy, ctx.WithRank(0, x.rank()));
  WEIR_TRY(MergeDims(ChannelsOf(ctx, dy), ChannelsOf(ctx, x)).status());
  ctx.set_output(0, x);
  for (int i = 1; i < 3; ++i) ctx.set_output(i, PartialShape{ChannelsOf(ctx, x)});
  for (int i = 3; i < 5; ++i) ctx.set_output(i, PartialShape::Scalar());
  return OkStatus();
}

// --- gradients

// In training, the gradient uses the batch statistics (outputs); in inference, the given ones (inputs).
template <int kVersion>
Result<Gradients> ForwardGradient(GradientContext& g) {
  WEIR_ASSIGN(const float epsilon, g.Attr<float>("epsilon"));
  WEIR_ASSIGN(const std::string format, g.Attr<std::string>("data_format"));
  WEIR_ASSIGN(const bool training, g.Attr<bool>("is_training"));
  const Output mean = training ? g.output(3) : g.input(3);
  const Output variance = training ? g.output(4) : g.input(4);
  const Output dy = g.d_output(0);
  auto gradients = [](const auto& r) {
    return Gradients{r.x_backprop, r.scale_backprop, r.offset_backprop, std::monostate{}, std::monostate{}};
  };
  if constexpr (kVersion == 1) {
    return gradients(FusedBatchNormGrad(dy, g.input(0), g.input(1), mean, variance,
                                        {.epsilon = epsilon, .data_format = format, .is_training = training}));
  } else if constexpr (kVersion == 2) {
    return gradients(FusedBatchNormGradV2(dy, g.input(0), g.input(1), mean, variance,
                                          {.epsilon = epsilon, .data_format = format, .is_training = training}));
  } else {
    return gradients(FusedBatchNormGradV3(dy, g.input(0), g.input(1), mean, variance, g.output(5),
                                          {.epsilon = epsilon, .data_format = format, .is_training = training}));
  }
}

std::vector<std::string> Attrs(int version) {
  std::vector<std::string> attrs = {version == 1 ? "T: {float}" : "T: {half, bfloat16, float}"};
  if (version > 1) attrs.push_back("U: {float}");
  attrs.insert(attrs.end(), {"epsilon: float = 0.0001",
                             version == 3 ? "data_format: {'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} = 'NHWC'"
                                          : "data_format: {'NHWC', 'NCHW'} = 'NHWC'",
                             "is_training: bool = true"});
  return attrs;
}

void AddVersion(OpRegistry& registry, int version, const char* name, const char* gradient_name, GradientFn gradient) {
  const std::string u = version == 1 ? "T" : "U";
  registry.Add({
      .name = name,
      .signature = fmt::format("x: T, scale: {0}, offset: {0}, mean: {0}, variance: {0} -> y: T, batch_mean: {0}, "
                               "batch_variance: {0}, reserve_space_1: {0}, reserve_space_2: {0}{1}",
                               u, version == 3 ? ", reserve_space_3: U" : ""),
      .attrs = Attrs(version),
      .shape = ForwardShape,
      .gradient = std::move(gradient),
      .kernels = version == 1 ? CpuKernels<float>(WEIR_FOR_TYPE(MakeForward))
                              : CpuKernels<half, bfloat16, float>(WEIR_FOR_TYPE(MakeForward)),
  });
  registry.Add({
      .name = gradient_name,
      .signature = fmt::format(
          "y_backprop: T, x: T, scale: {1}, reserve_space_1: {0}, reserve_space_2: {0}{2} -> x_backprop: T, "
          "scale_backprop: {0}, offset_backprop: {0}, reserve_space_{3}: {0}, reserve_space_{4}: {0}",
          u, version == 1 ? "T" : "float", version == 3 ? ", reserve_space_3: U" : "", version == 3 ? 4 : 3,
          version == 3 ? 5 : 4),
      .attrs = Attrs(version),
      .shape = GradientShape,
      .kernels = version == 1 ? CpuKernels<float>(WEIR_FOR_TYPE(MakeGradient))
                              : CpuKernels<half, bfloat16, float>(WEIR_FOR_TYPE(MakeGradient)),
  });
}

}  // namespace

void RegisterFusedBatchNorm(OpRegistry& registry) {
  AddVersion(registry, 1, "FusedBatchNorm", "FusedBatchNormGrad", ForwardGradient<1>);
  AddVersion(registry, 2, "FusedBatchNormV2", "FusedBatchNormGradV2", ForwardGradient<2>);
  AddVersion(registry, 3, "FusedBatchNormV3", "FusedBatchNormGradV3", ForwardGradient<3>);
}

}  // namespace weir::ops

// Simulated quantization for training: values are rounded to numbers that a few bits can represent. Gradients pass
// straight through inside of the range; those of values below or above it go to min or max.
#include <algorithm>
#include <cmath>
#include <vector>

#include "graph/build/array_ops.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "op/shape_context.h"

namespace weir::ops {
namespace {

struct FakeQuantRange {
  float low = 0, high = 0, scale = 0;
  bool empty() const { return scale == 0; }
};

struct FakeQuantSpec {
  int bits = 8;
  bool narrow = false;
};
template <class Context>
Result<FakeQuantSpec> FakeQuantOf(const Context& from) {
  FakeQuantSpec spec;
  WEIR_ASSIGN(int64_t bits, from.template Attr<int64_t>("num_bits"));
  if (bits < 2 || bits > 16) return InvalidArgument("num_bits must be between 2 and 16, inclusive, got {}", bits);
  spec.bits = static_cast<int>(bits);
  WEIR_ASSIGN(spec.narrow, from.template Attr<bool>("narrow_range"));
  return spec;
}

// Shifts the range so that zero is exactly representable. A range from 0 to 0 is empty.
FakeQuantRange Nudge(float low, float high, const FakeQuantSpec& spec) {
  if (low == 0.0f && high == 0.0f) return {};
  const float first = spec.narrow ? 1.0f : 0.0f;
  const auto last = static_cast<float>((int64_t{1} << spec.bits) - 1);
  const float scale = (high - low) / (last - first);
  const float zero = first - low / scale;
  const float nudged = zero < first ? first : zero > last ? last : std::round(zero);
  return {(first - nudged) * scale, (last - nudged) * scale, scale};
}

// The ranges of a node: one for all values, or one per channel (the last dimension).
using FakeQuantRanges = std::vector<FakeQuantRange>;

Result<FakeQuantRanges> ScalarRange(const KernelContext& ctx, int at, const FakeQuantSpec& spec) {
  const Tensor &low = ctx.input(at), &high = ctx.input(at + 1);
  if (low.rank() != 0 || high.rank() != 0)
    return InvalidArgument("min and max must be scalars, got {} and {}", low.shape(), high.shape());
  return FakeQuantRanges{Nudge(*low.data<float>(), *high.data<float>(), spec)};
}
Result<FakeQuantRanges> ChannelRanges(const KernelContext& ctx, int at, const Shape& in, const FakeQuantSpec& spec) {
  const Tensor &low = ctx.input(at), &high = ctx.input(at + 1);
  if (in.rank() < 1) return InvalidArgument("inputs must be at least 1-dimensional, got {}", in);
  const int64_t depth = in[in.rank() - 1];
  for (const Tensor* t : {&low, &high}) {
    if (t->rank() != 1 || t->dim(0) != depth)
      return InvalidArgument("min and max have incorrect size, expected {} got {}", depth, t->shape());
  }
  FakeQuantRanges ranges;
  for (int64_t i = 0; i < depth; ++i) ranges.push_back(Nudge(low.data<float>()[i], high.data<float>()[i], spec));
  return ranges;
}

Status Quantize(KernelContext& ctx, const FakeQuantRanges& ranges) {
  const Tensor in = ctx.input(0);
  WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, in.shape()));
  const float* x = in.data<float>();
  float* y = out.data<float>();
  const size_t channels = ranges.size();
  return ctx.ParallelFor(in.num_elements(), 2, [&](int64_t begin, int64_t end) {
    size_t c = static_cast<size_t>(begin) % std::max<size_t>(channels, 1);
    for (int64_t i = begin; i < end; ++i, c = c + 1 == channels ? 0 : c + 1) {
      const FakeQuantRange& r = ranges[c];
      const float shifted = std::min(std::max(x[i], r.low), r.high) - r.low;
      y[i] = r.empty() ? 0.0f : std::floor(shifted * (1.0f / r.scale) + 0.5f) * r.scale + r.low;
    }
  });
}

// Sums of the gradients of values that were below or above the range of their channel.
struct FakeQuantSums {
  double low = 0, high = 0;
};
Result<std::vector<FakeQuantSums>> PassGradients(KernelContext& ctx, const FakeQuantRanges& ranges) {
  const Tensor dy = ctx.input(0), in = ctx.input(1);
  if (!(dy.shape() == in.shape()))
    return InvalidArgument("gradient and input must be the same size, got {} and {}", dy.shape(), in.shape());
  WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, in.shape()));
  std::vector<FakeQuantSums> sums(ranges.size());
  const float *d = dy.data<float>(), *x = in.data<float>();
  float* dx = out.data<float>();
  size_t c = 0;
  for (int64_t i = 0; i < in.num_elements(); ++i, c = c + 1 == ranges.size() ? 0 : c + 1) {
    const FakeQuantRange& r = ranges[c];
    const bool inside = r.empty() || (x[i] >= r.low && x[i] <= r.high);
    dx[i] = inside ? d[i] : 0.0f;
    if (r.empty()) continue;
    if (x[i] < r.low) sums[c].low += d[i];
    if (x[i] > r.high) sums[c].high += d[i];
  }
  return sums;
}

Status StoreSums(KernelContext& ctx, const std::vector<FakeQuantSums>& sums, const Shape& shape) {
  for (int i = 1; i <= 2; ++i) {
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(i, shape));
    for (size_t c = 0; c < sums.size(); ++c)
      out.data<float>()[c] = static_cast<float>(i == 1 ? sums[c].low : sums[c].high);
  }
  return OkStatus();
}

template <bool kGradient>
Result<Kernel> MakeFakeQuantArgs(KernelSetup& setup) {
  WEIR_ASSIGN(const FakeQuantSpec spec, FakeQuantOf(setup));
  WEIR_ASSIGN(const float low, setup.Attr<float>("min"));
  WEIR_ASSIGN(const float high, setup.Attr<float>("max"));
  if (!(low < high)) return InvalidArgument("min has to be smaller than max, was: {} >= {}", low, high);
  const FakeQuantRanges ranges{Nudge(low, high, spec)};
  return Kernel::Sync([ranges](KernelContext& ctx) {
    if constexpr (kGradient) return PassGradients(ctx, ranges).status();
    return Quantize(ctx, ranges);
  });
}

Result<Kernel> MakeFakeQuantVars(KernelSetup& setup) {
  WEIR_ASSIGN(const FakeQuantSpec spec, FakeQuantOf(setup));
  return Kernel::Sync([spec](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const FakeQuantRanges ranges, ScalarRange(ctx, 1, spec));
    return Quantize(ctx, ranges);
  });
}
Result<Kernel> MakeFakeQuantVarsGradient(KernelSetup& setup) {
  WEIR_ASSIGN(const FakeQuantSpec spec, FakeQuantOf(setup));
  return Kernel::Sync([spec](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const FakeQuantRanges ranges, ScalarRange(ctx, 2, spec));
    WEIR_ASSIGN(const std::vector<FakeQuantSums> sums, PassGradients(ctx, ranges));
    return StoreSums(ctx, sums, Shape{});
  });
}

Result<Kernel> MakeFakeQuantChannels(KernelSetup& setup) {
  WEIR_ASSIGN(const FakeQuantSpec spec, FakeQuantOf(setup));
  return Kernel::Sync([spec](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const FakeQuantRanges ranges, ChannelRanges(ctx, 1, ctx.input(0).shape(), spec));
    return Quantize(ctx, ranges);
  });
}
Result<Kernel> MakeFakeQuantChannelsGradient(KernelSetup& setup) {
  WEIR_ASSIGN(const FakeQuantSpec spec, FakeQuantOf(setup));
  return Kernel::Sync([spec](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const FakeQuantRanges ranges, ChannelRanges(ctx, 2, ctx.input(1).shape(), spec));
    WEIR_ASSIGN(const std::vector<FakeQuantSums> sums, PassGradients(ctx, ranges));
    return StoreSums(ctx, sums, Shape{static_cast<int64_t>(ranges.size())});
  });
}

// min and max in inputs `at` and `at` + 1 are scalars, or vectors as long as the last dimension of the inputs.
ShapeFn FakeQuantShape(int at, bool per_channel) {
  return [=](ShapeContext& ctx) -> Status {
    PartialShape in = ctx.input(0);
    if (at == 2) {
      WEIR_ASSIGN(in, in.Merge(ctx.input(1)));
    }
    WEIR_ASSIGN(const PartialShape low, ctx.WithRank(at, per_channel ? 1 : 0));
    WEIR_ASSIGN(const PartialShape high, ctx.WithRank(at + 1, per_channel ? 1 : 0));
    WEIR_ASSIGN(PartialShape range, low.Merge(high));
    if (per_channel) {
      if (in.known_rank() && in.rank() < 1) return InvalidArgument("Shape must be at least rank 1 but is rank 0");
      WEIR_ASSIGN(const int64_t depth, MergeDims(range.dim(0), in.known_rank() ? in[in.rank() - 1] : kUnknownDim));
      range = PartialShape{depth};
      if (in.known_rank()) in.SetDim(in.rank() - 1, depth);
    }
    ctx.set_output(0, in);
    for (int i = 1; i < ctx.num_outputs(); ++i) ctx.set_output(i, range);
    return OkStatus();
  };
}

Result<Gradients> FakeQuantArgsGradient(GradientContext& g) {
  WEIR_ASSIGN(const FakeQuantSpec spec, FakeQuantOf(g));
  WEIR_ASSIGN(const float low, g.Attr<float>("min"));
  WEIR_ASSIGN(const float high, g.Attr<float>("max"));
  return Gradients{FakeQuantWithMinMaxArgsGradient(
      g.d_output(0), g.input(0), {.min = low, .max = high, .num_bits = spec.bits, .narrow_range = spec.narrow})};
}
Result<Gradients> FakeQuantVarsGradient(GradientContext& g) {
  WEIR_ASSIGN(const FakeQuantSpec spec, FakeQuantOf(g));
  const auto d = FakeQuantWithMinMaxVarsGradient(g.d_output(0), g.input(0), g.input(1), g.input(2),
                                                 {.num_bits = spec.bits, .narrow_range = spec.narrow});
  return Gradients{d.backprops_wrt_input, d.backprop_wrt_min, d.backprop_wrt_max};
}
Result<Gradients> FakeQuantChannelsGradient(GradientContext& g) {
  WEIR_ASSIGN(const FakeQuantSpec spec, FakeQuantOf(g));
  const auto d = FakeQuantWithMinMaxVarsPerChannelGradient(g.d_output(0), g.input(0), g.input(1), g.input(2),
                                                           {.num_bits = spec.bits, .narrow_range = spec.narrow});
  return Gradients{d.backprops_wrt_input, d.backprop_wrt_min, d.backprop_wrt_max};
}

}  // namespace

void RegisterFakeQuant(OpRegistry& registry) {
  const std::vector<std::string> with_range = {"min: float = -6.0", "max: float = 6.0", "num_bits: int = 8",
                                               "narrow_range: bool = false"};
  const std::vector<std::string> attrs = {"num_bits: int = 8", "narrow_range: bool = false"};
  const std::string gradients =
      "gradients: float, inputs: float, min: float, max: float -> backprops_wrt_input: float, backprop_wrt_min: float, "
      "backprop_wrt_max: float";
  registry.Add({
      .name = "FakeQuantWithMinMaxArgs",
      .signature = "inputs: float -> outputs: float",
      .attrs = with_range,
      .shape = SameAsInput(0),
      .gradient = FakeQuantArgsGradient,
      .kernels = CpuKernel(MakeFakeQuantArgs<false>),
  });
  registry.Add({
      .name = "FakeQuantWithMinMaxArgsGradient",
      .signature = "gradients: float, inputs: float -> backprops: float",
      .attrs = with_range,
      .shape = SameAsInput(0),
      .kernels = CpuKernel(MakeFakeQuantArgs<true>),
  });
  registry.Add({
      .name = "FakeQuantWithMinMaxVars",
      .signature = "inputs: float, min: float, max: float -> outputs: float",
      .attrs = attrs,
      .shape = FakeQuantShape(1, false),
      .gradient = FakeQuantVarsGradient,
      .kernels = CpuKernel(MakeFakeQuantVars),
  });
  registry.Add({
      .name = "FakeQuantWithMinMaxVarsGradient",
      .signature = gradients,
      .attrs = attrs,
      .shape = FakeQuantShape(2, false),
      .kernels = CpuKernel(MakeFakeQuantVarsGradient),
  });
  registry.Add({
      .name = "FakeQuantWithMinMaxVarsPerChannel",
      .signature = "inputs: float, min: float, max: float -> outputs: float",
      .attrs = attrs,
      .shape = FakeQuantShape(1, true),
      .gradient = FakeQuantChannelsGradient,
      .kernels = CpuKernel(MakeFakeQuantChannels),
  });
  registry.Add({
      .name = "FakeQuantWithMinMaxVarsPerChannelGradient",
      .signature = gradients,
      .attrs = attrs,
      .shape = FakeQuantShape(2, true),
      .kernels = CpuKernel(MakeFakeQuantChannelsGradient),
  });
}

}  // namespace weir::ops

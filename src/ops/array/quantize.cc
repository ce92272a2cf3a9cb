// Simulated quantization for training: values are rounded to numbers that a few bits can represent. Gradients pass
// straight through inside of the range.
#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/int_inputs.h"

namespace weir::ops {
namespace {

struct FakeQuantRange {
  float low, high, scale;
};

// Shifts the range so that zero is exactly representable.
FakeQuantRange Nudge(float low, float high, int bits, bool narrow) {
  const float first = narrow ? 1.0f : 0.0f;
  const auto last = static_cast<float>((int64_t{1} << bits) - 1);
  const float scale = (high - low) / (last - first);
  const float zero = first - low / scale;
  const float nudged = zero < first ? first : zero > last ? last : std::round(zero);
  return {(first - nudged) * scale, (last - nudged) * scale, scale};
}

struct FakeQuantSpec {
  int bits = 8;
  bool narrow = false;
};
template <class Context>
Result<FakeQuantSpec> QuantizationOf(const Context& from) {
  FakeQuantSpec spec;
  WEIR_ASSIGN(int64_t bits, from.template Attr<int64_t>("num_bits"));
  if (bits < 2 || bits > 16) return InvalidArgument("num_bits must be between 2 and 16, inclusive, got {}", bits);
  spec.bits = static_cast<int>(bits);
  WEIR_ASSIGN(spec.narrow, from.template Attr<bool>("narrow_range"));
  return spec;
}

Status Quantize(KernelContext& ctx, float low, float high, const FakeQuantSpec& spec) {
  const Tensor in = ctx.input(0);
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, in.shape()));
  if (low == 0.0f && high == 0.0f) {
    out.ZeroFill();
    return OkStatus();
  }
  const FakeQuantRange r = Nudge(low, high, spec.bits, spec.narrow);
  const float inverse = 1.0f / r.scale;
  const float* x = in.data<float>();
  float* y = out.data<float>();
  return ctx.ParallelFor(in.num_elements(), 2, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const float shifted = std::min(std::max(x[i], r.low), r.high) - r.low;
      y[i] = std::floor(shifted * inverse + 0.5f) * r.scale + r.low;
    }
  });
}

Result<Kernel> MakeFakeQuantArgs(KernelSetup& setup) {
  WEIR_ASSIGN(FakeQuantSpec spec, QuantizationOf(setup));
  WEIR_ASSIGN(float low, setup.Attr<float>("min"));
  WEIR_ASSIGN(float high, setup.Attr<float>("max"));
  if (!(low < high)) return InvalidArgument("min has to be smaller than max, was: {} >= {}", low, high);
  return Kernel::Sync([=](KernelContext& ctx) { return Quantize(ctx, low, high, spec); });
}

Result<Kernel> MakeFakeQuantVars(KernelSetup& setup) {
  WEIR_ASSIGN(FakeQuantSpec spec, QuantizationOf(setup));
  return Kernel::Sync([spec](KernelContext& ctx) -> Status {
    if (ctx.input(1).rank() != 0 || ctx.input(2).rank() != 0)
      return InvalidArgument("min and max must be scalars, got {} and {}", ctx.input(1).shape(), ctx.input(2).shape());
    return Quantize(ctx, *ctx.input(1).data<float>(), *ctx.input(2).data<float>(), spec);
  });
}

Output MaskedBy(Output mask, Output dy) { return dy * Cast(mask, kFloat); }

Result<Gradients> FakeQuantArgsGradient(GradientContext& g) {
  WEIR_ASSIGN(FakeQuantSpec spec, QuantizationOf(g));
  WEIR_ASSIGN(float low, g.Attr<float>("min"));
  WEIR_ASSIGN(float high, g.Attr<float>("max"));
  const FakeQuantRange r = Nudge(low, high, spec.bits, spec.narrow);
  const Output x = g.input(0);
  return Gradients{MaskedBy(LogicalAnd(GreaterEqual(x, r.low), LessEqual(x, r.high)), g.d_output(0))};
}

// Gradients of values below or above the range go to min or max.
Result<Gradients> FakeQuantVarsGradient(GradientContext& g) {
  WEIR_ASSIGN(FakeQuantSpec spec, QuantizationOf(g));
  const Output x = g.input(0), low = g.input(1), high = g.input(2), dy = g.d_output(0);
  const float first = spec.narrow ? 1.0f : 0.0f;
  const auto last = static_cast<float>((int64_t{1} << spec.bits) - 1);
  const Output scale = (high - low) / (last - first);
  const Output zero = Floor(Minimum(Maximum(first - low / scale, first), last) + 0.5f);
  const Output nudged_low = (first - zero) * scale, nudged_high = (last - zero) * scale;
  const Output below = Less(x, nudged_low), above = Greater(x, nudged_high);
  const Output all = Range(0, Rank(x), 1);
  return Gradients{MaskedBy(LogicalNot(LogicalOr(below, above)), dy), Sum(MaskedBy(below, dy), all),
                   Sum(MaskedBy(above, dy), all)};
}

struct QuantizeSpec {
  bool is_signed = true, range_given = false, half_up = false, narrow = false;
  int bits = 8;
  int64_t axis = -1;
};

template <class T>
Status QuantizeAndDequantize(KernelContext& ctx, const QuantizeSpec& spec) {
  const Tensor in = ctx.input(0);
  if (spec.axis < -1 || spec.axis >= in.rank())
    return InvalidArgument("axis {} must be -1 or a dimension of the input {}", spec.axis, in.shape());
  const int64_t slices = spec.axis < 0 ? 1 : in.dim(static_cast<int>(spec.axis));
  if (spec.range_given) {
    for (int i : {1, 2}) {
      if (ctx.input(i).num_elements() != slices || ctx.input(i).rank() != (spec.axis < 0 ? 0 : 1))
        return InvalidArgument("input_min and input_max must have {} elements, got shape {}", slices,
                               ctx.input(i).shape());
    }
  }
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, in.shape()));
  if (in.num_elements() == 0) return OkStatus();
  int64_t inner = 1;
  for (int i = static_cast<int>(spec.axis) + 1; spec.axis >= 0 && i < in.rank(); ++i) inner *= in.dim(i);
  if (spec.axis < 0) inner = in.num_elements();
  const int64_t outer = in.num_elements() / (slices * inner);
  using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const T* x = in.data<T>();
  T* y = out.data<T>();
  const auto first = static_cast<Real>(spec.is_signed ? -(int64_t{1} << (spec.bits - 1)) + (spec.narrow ? 1 : 0) : 0);
  const auto last =
      static_cast<Real>(spec.is_signed ? (int64_t{1} << (spec.bits - 1)) - 1 : (int64_t{1} << spec.bits) - 1);
  for (int64_t s = 0; s < slices; ++s) {
    Real low = std::numeric_limits<Real>::max(), high = std::numeric_limits<Real>::lowest();
    auto for_each = [&](auto&& f) {
      for (int64_t o = 0; o < outer; ++o) {
        const int64_t at = (o * slices + s) * inner;
        for (int64_t i = at; i < at + inner; ++i) f(i);
      }
    };
    if (spec.range_given) {
      low = static_cast<Real>(ctx.input(1).data<T>()[s]);
      high = static_cast<Real>(ctx.input(2).data<T>()[s]);
      if (low > high) return InvalidArgument("Invalid range: input_min {} > input_max {}", low, high);
    } else {
      for_each([&](int64_t i) {
        low = std::min(low, static_cast<Real>(x[i]));
        high = std::max(high, static_cast<Real>(x[i]));
      });
    }
    const Real huge = std::numeric_limits<Real>::max();
    const Real from_low = first * low > 0 ? first / low : huge;
    const Real from_high = last * high > 0 ? last / high : huge;
    Real scale, inverse;
    if (from_low < from_high) {
      scale = from_low;
      inverse = low / first;
      high = last * inverse;
    } else {
      scale = from_high;
      inverse = high / last;
      low = first * inverse;
    }
    for_each([&](int64_t i) {
      Real v = static_cast<Real>(x[i]);
      if (spec.range_given) v = std::min(std::max(v, low), high);
      v *= scale;
      v = spec.half_up ? std::floor(v + Real{0.5}) : std::nearbyint(v);
      y[i] = static_cast<T>(v * inverse);
    });
  }
  return OkStatus();
}

Status QuantizeAndDequantizeShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const int64_t axis, ctx.Attr<int64_t>("axis"));
  if (axis < -1) return InvalidArgument("axis should be at least -1, got {}", axis);
  WEIR_ASSIGN(PartialShape low, ctx.WithRank(1, axis == -1 ? 0 : 1));
  WEIR_ASSIGN(const PartialShape range, low.Merge(ctx.input(2)));
  if (axis >= 0 && axis < kMaxRank) {
    WEIR_ASSIGN(const PartialShape in, ctx.WithRankAtLeast(0, static_cast<int>(axis) + 1));
    if (in.known_rank()) WEIR_TRY(MergeDims(range.dim(0), in[static_cast<int>(axis)]).status());
  }
  ctx.set_output(0, ctx.input(0));
  return OkStatus();
}

template <class T>
Result<Kernel> MakeQuantizeAndDequantize(KernelSetup& setup) {
  QuantizeSpec spec;
  WEIR_ASSIGN(spec.is_signed, setup.Attr<bool>("signed_input"));
  WEIR_ASSIGN(spec.range_given, setup.Attr<bool>("range_given"));
  WEIR_ASSIGN(spec.narrow, setup.Attr<bool>("narrow_range"));
  WEIR_ASSIGN(spec.axis, setup.Attr<int64_t>("axis"));
  WEIR_ASSIGN(int64_t bits, setup.Attr<int64_t>("num_bits"));
  WEIR_ASSIGN(std::string mode, setup.Attr<std::string>("round_mode"));
  if (bits < 1 || bits > 62) return InvalidArgument("num_bits is out of range: {}", bits);
  spec.bits = static_cast<int>(bits);
  spec.half_up = mode == "HALF_UP";
  return Kernel::Sync([spec](KernelContext& ctx) { return QuantizeAndDequantize<T>(ctx, spec); });
}

}  // namespace

void RegisterQuantize(OpRegistry& registry) {
  registry.Add({
      .name = "FakeQuantWithMinMaxArgs",
      .signature = "inputs: float -> outputs: float",
      .attrs = {"min: float = -6.0", "max: float = 6.0", "num_bits: int = 8", "narrow_range: bool = false"},
      .shape = SameAsInput(0),
      .gradient = FakeQuantArgsGradient,
      .kernels = CpuKernel(MakeFakeQuantArgs),
  });
  registry.Add({
      .name = "FakeQuantWithMinMaxVars",
      .signature = "inputs: float, min: float, max: float -> outputs: float",
      .attrs = {"num_bits: int = 8", "narrow_range: bool = false"},
      .shape = [](ShapeContext& ctx) -> Status {
        WEIR_TRY(ctx.WithRank(1, 0).status());
        WEIR_TRY(ctx.WithRank(2, 0).status());
        ctx.set_output(0, ctx.input(0));
        return OkStatus();
      },
      .gradient = FakeQuantVarsGradient,
      .kernels = CpuKernel(MakeFakeQuantVars),
  });
  registry.Add({
      .name = "QuantizeAndDequantizeV2",
      .signature = "input: T, input_min: T, input_max: T -> output: T",
      .attrs = {"signed_input: bool = true", "num_bits: int = 8", "range_given: bool = false",
                "T: {bfloat16, half, float, double}", "round_mode: {'HALF_TO_EVEN', 'HALF_UP'} = 'HALF_TO_EVEN'",
                "narrow_range: bool = false", "axis: int = -1"},
      .shape = QuantizeAndDequantizeShape,
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        return Gradients{g.d_output(0), std::monostate{}, std::monostate{}};
      },
      .kernels = CpuKernels<float, double, half, bfloat16>(WEIR_FOR_TYPE(MakeQuantizeAndDequantize)),
  });
}

}  // namespace weir::ops

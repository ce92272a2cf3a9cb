// Rounds floats to numbers that a few bits can represent, with one scale per tensor or per slice.
#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/quantized.h"

namespace weir::ops {
namespace {

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
  WEIR_TRY(CheckQuantizedRange(ctx).status());
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

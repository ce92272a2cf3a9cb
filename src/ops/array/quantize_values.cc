// QuantizeV2 and Dequantize: floats as integers between two ends, and back. The ends belong to the whole tensor or,
// with an axis, to each slice of it.
#include <optional>

#include "op/op_registry.h"
#include "ops/array/quantized.h"

namespace weir::ops {
namespace {

enum class QuantizeMode { kMinCombined, kMinFirst, kScaled };

struct QuantizedAttrs {
  QuantizeMode mode = QuantizeMode::kMinCombined;
  bool narrow = false;
  bool half_to_even = false;   // QuantizeV2
  float minimum_range = 0.0f;  // QuantizeV2
  int64_t axis = -1;
};

Result<QuantizedAttrs> QuantizedAttrsOf(const KernelSetup& setup) {
  QuantizedAttrs a;
  WEIR_ASSIGN(const std::string mode, setup.Attr<std::string>("mode"));
  if (mode == "MIN_FIRST") a.mode = QuantizeMode::kMinFirst;
  if (mode == "SCALED") a.mode = QuantizeMode::kScaled;
  WEIR_ASSIGN(a.narrow, setup.Attr<bool>("narrow_range"));
  WEIR_ASSIGN(a.axis, setup.Attr<int64_t>("axis"));
  if (a.axis < -1) return InvalidArgument("axis should be at least -1, got {}", a.axis);
  return a;
}

// A tensor as [outer, slices, inner], where each slice has its own range.
struct QuantizedSlices {
  int64_t outer = 1, slices = 1, inner = 1;
  bool empty = false;

  static Result<QuantizedSlices> Of(const KernelContext& ctx, const QuantizedAttrs& attrs) {
    const Tensor& in = ctx.input(0);
    QuantizedSlices s;
    if (attrs.axis >= in.rank())
      return InvalidArgument("Axis must be less than the number of the input's dimensions ({}), got {}", in.rank(),
                             attrs.axis);
    if (attrs.axis >= 0) s.slices = in.dim(static_cast<int>(attrs.axis));
    for (const int i : {1, 2}) {
      const Tensor& end = ctx.input(i);
      if (end.num_elements() != s.slices)
        return InvalidArgument(
            "{} must contain {} elements, one for each slice of axis {}, but it contains {} elements",
            i == 1 ? "min_range" : "max_range", s.slices, attrs.axis, end.num_elements());
    }
    s.empty = in.num_elements() == 0;
    if (s.empty) return s;
    for (int i = static_cast<int>(attrs.axis) + 1; i < in.rank(); ++i) s.inner *= in.dim(i);
    s.outer = in.num_elements() / (s.slices * s.inner);
    return s;
  }
  // Calls f(slice, begin, end) for elements of one slice, in parallel.
  template <class F>
  Status ForEach(const KernelContext& ctx, F f) const {
    if (empty) return OkStatus();
    if (slices == 1) return ctx.ParallelFor(outer * inner, 4, [&](int64_t begin, int64_t end) { f(0, begin, end); });
    return ctx.ParallelFor(outer * slices, 4 * inner,
                           [&](int64_t row) { f(row % slices, row * inner, (row + 1) * inner); });
  }
};

// --- QuantizeV2

// How the elements of a slice become integers.
template <class Q>
struct Quantizer {
  static constexpr int64_t kLowest = std::numeric_limits<Q>::lowest();
  static constexpr int64_t kHighest = std::numeric_limits<Q>::max();
  QuantizedAttrs attrs;
  float low, high;
  float scale = 0;
  std::optional<FloatToQuantized<Q>> min_first;

  // Widens the range so that it contains zero and is not too small.
  Quantizer(const QuantizedAttrs& a, float min_range, float max_range) : attrs(a) {
    low = std::min(0.0f, min_range);
    const float least = std::max(1.0f, std::max(std::fabs(min_range), std::fabs(max_range))) * a.minimum_range;
    high = std::max(0.0f, std::max(max_range, low + least));
    if (a.mode == QuantizeMode::kMinFirst) min_first.emplace(low, high);
    if (a.mode == QuantizeMode::kMinCombined)
      scale = static_cast<float>(kQuantizedSteps<Q> / static_cast<double>(high - low));
    if (a.mode != QuantizeMode::kScaled) return;
    const auto lowest = static_cast<float>(kLowest + (a.narrow ? 1 : 0));
    const auto highest = static_cast<float>(kHighest);
    const float huge = std::numeric_limits<float>::max();
    scale = std::min(lowest * low > 0 ? lowest / low : huge, highest * high > 0 ? highest / high : huge);
    low = lowest / scale;
    high = highest / scale;
  }
  float Clamp(float x) const { return std::max(std::min(x, high), low); }
  Q MinCombined(float x) const {
    const float steps = (Clamp(x) - low) * scale;
    if (kLowest == 0) return SaturateTo<Q>(steps + 0.5f);
    return SaturateTo<Q>(std::round(steps + static_cast<float>(kLowest)));
  }
  Q Scaled(float x) const {
    const float steps = Clamp(x) * scale;
    return SaturateTo<Q>(attrs.half_to_even ? std::nearbyint(steps) : std::round(steps));
  }
  void Run(const float* x, int64_t n, Q* y) const {
    if (attrs.mode == QuantizeMode::kMinCombined) std::transform(x, x + n, y, [&](float v) { return MinCombined(v); });
    if (attrs.mode == QuantizeMode::kMinFirst) std::transform(x, x + n, y, *min_first);
    if (attrs.mode == QuantizeMode::kScaled) std::transform(x, x + n, y, [&](float v) { return Scaled(v); });
  }
};

template <class Q>
Status QuantizeAll(KernelContext& ctx, const QuantizedAttrs& attrs) {
  const Tensor& in = ctx.input(0);
  const Shape ends = ctx.input(1).shape();
  if (attrs.axis >= 0 && (ends.rank() != 1 || ctx.input(2).rank() != 1))
    return InvalidArgument("With an axis, min_range and max_range must be 1-D, but their shapes are {} and {}", ends,
                           ctx.input(2).shape());
  WEIR_ASSIGN(const QuantizedSlices slices, QuantizedSlices::Of(ctx, attrs));
  if (attrs.axis >= 0 && attrs.mode == QuantizeMode::kMinFirst)
    return Unimplemented("MIN_FIRST mode is not implemented for Quantize with axis != -1.");
  std::vector<Quantizer<Q>> quantizers;
  for (int64_t i = 0; i < slices.slices; ++i) {
    const float low = ctx.input(1).data<float>()[i];
    const float high = ctx.input(2).data<float>()[i];
    if (high < low)
      return InvalidArgument("input_max_range must be larger than input_min_range, but they are {} and {}", high, low);
    quantizers.emplace_back(attrs, low, high);
  }
  WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, in.shape()));
  WEIR_ASSIGN(const Tensor low, ctx.Allocate(1, ends));
  WEIR_ASSIGN(const Tensor high, ctx.Allocate(2, ends));
  for (size_t i = 0; i < quantizers.size(); ++i) {
    low.data<float>()[i] = quantizers[i].low;
    high.data<float>()[i] = quantizers[i].high;
  }
  const float* x = in.data<float>();
  Q* y = out.data<Q>();
  return slices.ForEach(ctx, [&](int64_t slice, int64_t begin, int64_t end) {
    quantizers[static_cast<size_t>(slice)].Run(x + begin, end - begin, y + begin);
  });
}

Result<Kernel> MakeQuantize(KernelSetup& setup) {
  WEIR_ASSIGN(QuantizedAttrs attrs, QuantizedAttrsOf(setup));
  WEIR_ASSIGN(const std::string round, setup.Attr<std::string>("round_mode"));
  WEIR_ASSIGN(const std::string mode, setup.Attr<std::string>("mode"));
  WEIR_ASSIGN(attrs.minimum_range, setup.Attr<float>("ensure_minimum_range"));
  attrs.half_to_even = round == "HALF_TO_EVEN";
  if (attrs.half_to_even && attrs.mode != QuantizeMode::kScaled)
    return InvalidArgument("Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', but mode is '{}'.", mode);
  return Kernel::Sync([attrs](KernelContext& ctx) {
    Status status;
    WithQuantizedType(ctx.output_type(0), [&]<class Q>(TypeTag<Q>) { status = QuantizeAll<Q>(ctx, attrs); });
    return status;
  });
}

Status QuantizeShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape range, CheckQuantizedRange(ctx));
  ctx.set_output(0, ctx.input(0));
  ctx.set_output(1, range);
  ctx.set_output(2, range);
  return OkStatus();
}

// --- Dequantize

// How the integers of a slice become floats.
template <class Q>
struct Dequantizer {
  QuantizeMode mode;
  float shift = 0, scale = 0, start = 0;
  std::optional<QuantizedToFloat<Q>> min_first;

  Dequantizer(const QuantizedAttrs& a, float low, float high) : mode(a.mode) {
    constexpr auto lowest = static_cast<float>(std::numeric_limits<Q>::lowest());
    constexpr auto highest = static_cast<float>(std::numeric_limits<Q>::max());
    if (mode == QuantizeMode::kMinFirst) min_first.emplace(low, high);
    if (mode == QuantizeMode::kMinCombined) {
      shift = lowest == 0 ? 0.0f : (highest - lowest + 1.0f) / 2.0f;
      scale = (high - low) / (highest - lowest);
      start = low;
    }
    if (mode == QuantizeMode::kScaled) {
      const auto first = static_cast<float>(int64_t{std::numeric_limits<Q>::lowest()} + (a.narrow ? 1 : 0));
      scale = lowest == 0 ? high / highest : std::max(low / first, high / highest);
    }
  }
  template <class T>
  void Run(const Q* x, int64_t n, T* y) const {
    for (int64_t i = 0; i < n; ++i) {
      const auto v = static_cast<float>(x[i]);
      y[i] = static_cast<T>(min_first                            ? (*min_first)(x[i])
                            : mode == QuantizeMode::kMinCombined ? (v + shift) * scale + start
                                                                 : v * scale);
    }
  }
};

template <class Q, class T>
Status DequantizeAll(KernelContext& ctx, const QuantizedAttrs& attrs) {
  const Tensor& in = ctx.input(0);
  WEIR_ASSIGN(const QuantizedSlices slices, QuantizedSlices::Of(ctx, attrs));
  if (attrs.axis >= 0 && attrs.mode == QuantizeMode::kMinFirst)
    return Unimplemented("MIN_FIRST mode is not implemented for Dequantize with axis != -1.");
  std::vector<Dequantizer<Q>> dequantizers;
  for (int64_t i = 0; i < slices.slices; ++i)
    dequantizers.emplace_back(attrs, ctx.input(1).data<float>()[i], ctx.input(2).data<float>()[i]);
  WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, in.shape()));
  const Q* x = in.data<Q>();
  T* y = out.data<T>();
  return slices.ForEach(ctx, [&](int64_t slice, int64_t begin, int64_t end) {
    dequantizers[static_cast<size_t>(slice)].Run(x + begin, end - begin, y + begin);
  });
}

Result<Kernel> MakeDequantize(KernelSetup& setup) {
  WEIR_ASSIGN(const QuantizedAttrs attrs, QuantizedAttrsOf(setup));
  WEIR_ASSIGN(const DType dtype, setup.Attr<DType>("dtype"));
  WEIR_ASSIGN(const std::string mode, setup.Attr<std::string>("mode"));
  if (dtype == kBFloat16 && attrs.mode != QuantizeMode::kMinCombined)
    return InvalidArgument("When output type is bfloat16, Mode string must be 'MIN_COMBINED', is '{}'", mode);
  return Kernel::Sync([attrs, dtype](KernelContext& ctx) {
    Status status;
    WithQuantizedType(ctx.input(0).dtype(), [&]<class Q>(TypeTag<Q>) {
      status = dtype == kFloat ? DequantizeAll<Q, float>(ctx, attrs) : DequantizeAll<Q, bfloat16>(ctx, attrs);
    });
    return status;
  });
}

Status DequantizeShape(ShapeContext& ctx) {
  WEIR_TRY(CheckQuantizedRange(ctx).status());
  ctx.set_output(0, ctx.input(0));
  return OkStatus();
}

}  // namespace

void RegisterQuantizeValues(OpRegistry& registry) {
  const std::string mode = "mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = 'MIN_COMBINED'";
  registry.Add({
      .name = "QuantizeV2",
      .signature =
          "input: float, min_range: float, max_range: float -> output: T, output_min: float, output_max: float",
      .attrs = {kQuantizedAttr, mode, "round_mode: {'HALF_AWAY_FROM_ZERO', 'HALF_TO_EVEN'} = 'HALF_AWAY_FROM_ZERO'",
                "narrow_range: bool = false", "axis: int = -1", "ensure_minimum_range: float = 0.01"},
      .shape = QuantizeShape,
      .kernels = CpuKernel(MakeQuantize),
  });
  registry.Add({
      .name = "Dequantize",
      .signature = "input: T, min_range: float, max_range: float -> output: dtype",
      .attrs = {kQuantizedAttr, mode, "narrow_range: bool = false", "axis: int = -1",
                "dtype: {bfloat16, float} = DT_FLOAT"},
      .shape = DequantizeShape,
      .kernels = CpuKernel(MakeDequantize),
  });
}

}  // namespace weir::ops

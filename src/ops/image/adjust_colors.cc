// AdjustContrastv2, AdjustHue, AdjustSaturation on [..., channels]; the last two require three channels. Computed in
// float.
#include <algorithm>
#include <cmath>

#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"

namespace weir::ops {
namespace {

Result<float> FactorOf(const KernelContext& ctx, const char* name) {
  const Tensor& factor = ctx.input(1);
  if (factor.rank() != 0) return InvalidArgument("{} must be scalar, got shape {}", name, factor.shape());
  return factor.scalar<float>();
}

// --- contrast: scales the distance to the channel's mean
template <class T>
void AdjustImage(const T* from, int64_t pixels, int64_t channels, float factor, T* to) {
  std::vector<double> sums(static_cast<size_t>(channels));
  for (int64_t i = 0; i < pixels; ++i) {
    for (int64_t c = 0; c < channels; ++c) sums[static_cast<size_t>(c)] += static_cast<float>(from[i * channels + c]);
  }
  for (int64_t c = 0; c < channels; ++c) {
    const auto mean = static_cast<float>(sums[static_cast<size_t>(c)] / static_cast<double>(pixels));
    for (int64_t i = c; i < pixels * channels; i += channels)
      to[i] = static_cast<T>((static_cast<float>(from[i]) - mean) * factor + mean);
  }
}

template <class T>
Result<Kernel> MakeContrast(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    const Tensor& in = ctx.input(0);
    if (in.rank() < 3) return InvalidArgument("input must be at least 3-D, got shape {}", in.shape());
    WEIR_ASSIGN(const float factor, FactorOf(ctx, "contrast_factor"));
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, in.shape()));
    if (out.num_elements() == 0) return OkStatus();
    const int64_t channels = in.dim(in.rank() - 1), pixels = in.dim(in.rank() - 2) * in.dim(in.rank() - 3);
    const int64_t size = channels * pixels;
    return ctx.ParallelFor(in.num_elements() / size, size * 2, [&](int64_t i) {
      AdjustImage(in.data<T>() + i * size, pixels, channels, factor, out.data<T>() + i * size);
    });
  });
}

// --- hue: an angle in [0, 6), and the smallest and largest channel value
struct Hue {
  float at = 0;  // [0, 6)
  float low = 0, high = 0;
};

// The largest, middle and smallest channel in each sixth of the circle.
constexpr int kLargest[] = {0, 1, 1, 2, 2, 0}, kMiddle[] = {1, 0, 2, 1, 0, 2}, kSmallest[] = {2, 2, 0, 0, 1, 1};

int HueSector(float r, float g, float b) {
  if (r < g) return b < r ? 1 : b > g ? 3 : 2;
  return b < g ? 0 : b > r ? 4 : 5;
}

Hue HueOf(const float* rgb) {
  const int sixth = HueSector(rgb[0], rgb[1], rgb[2]);
  Hue hue{0, rgb[kSmallest[sixth]], rgb[kLargest[sixth]]};
  if (hue.low == hue.high) return hue;
  const float ratio = (rgb[kMiddle[sixth]] - hue.low) / (hue.high - hue.low);
  hue.at = static_cast<float>(sixth) + (sixth % 2 == 0 ? ratio : 1 - ratio);
  return hue;
}

void ColorOf(const Hue& hue, float* rgb) {
  const int sixth = hue.at >= 0 && hue.at < 6 ? static_cast<int>(hue.at) : 5;
  float ratio = hue.at - static_cast<float>(sixth);
  if (sixth % 2 == 1) ratio = 1 - ratio;
  rgb[kLargest[sixth]] = hue.high;
  rgb[kMiddle[sixth]] = hue.low + ratio * (hue.high - hue.low);
  rgb[kSmallest[sixth]] = hue.low;
}

void TurnHue(float delta, const float* from, float* to) {
  Hue hue = HueOf(from);
  hue.at += delta;
  // Limits the loops to ten iterations. An infinite hue becomes NaN.
  if (std::abs(hue.at) > 60) hue.at = std::fmod(hue.at, 6.0f);
  while (hue.at < 0) hue.at += 6;
  while (hue.at >= 6) hue.at -= 6;
  ColorOf(hue, to);
}

// --- saturation: scaled and clamped to [0, 1]
void Saturate(float scale, const float* from, float* to) {
  const float r = from[0], g = from[1], b = from[2];
  const float value = std::max(r, std::max(g, b)), range = value - std::min(r, std::min(g, b));
  float saturation = value > 0 ? range / value : 0;
  const float norm = 1.0f / (6.0f * range);
  // A fraction of the range, between -1/6 and 1/6. Divides by the range if that is so small that `norm`, its inverse,
  // is infinite.
  const auto part = [&](float difference) { return std::isinf(norm) ? difference / range / 6.0f : norm * difference; };
  float hue = r == value   ? part(g - b)
              : g == value ? static_cast<float>(part(b - r) + 2.0 / 6.0)
                           : static_cast<float>(part(r - g) + 4.0 / 6.0);
  if (range <= 0) hue = 0;
  if (hue < 0) hue += 1;
  saturation = std::min(1.0f, std::max(0.0f, saturation * scale));
  const float chroma = saturation * value, rest = value - chroma, six = hue * 6;
  const int sixth = six >= 0 && six < 6 ? static_cast<int>(six) : 0;
  const float turned = std::fmod(six, 2.0f);
  to[kLargest[sixth]] = chroma + rest;
  to[kMiddle[sixth]] = chroma * (1 - std::abs(turned - 1)) + rest;
  to[kSmallest[sixth]] = rest;
}

template <class T, void (*Adjust)(float, const float*, float*)>
Status AdjustPixels(KernelContext& ctx, const char* name, float unit) {
  const Tensor& in = ctx.input(0);
  if (in.rank() < 3) return InvalidArgument("input must be at least 3-D, got shape {}", in.shape());
  if (in.dim(in.rank() - 1) != 3)
    return InvalidArgument("input must have 3 channels but instead has {} channels", in.dim(in.rank() - 1));
  WEIR_ASSIGN(const float factor, FactorOf(ctx, name));
  if (!std::isfinite(factor)) return InvalidArgument("{} must be finite, got {}", name, factor);
  WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, in.shape()));
  return ctx.ParallelFor(in.num_elements() / 3, 25, [&](int64_t i) {
    float from[3], to[3];
    for (int c = 0; c < 3; ++c) from[c] = static_cast<float>(in.data<T>()[3 * i + c]);
    Adjust(factor * unit, from, to);
    for (int c = 0; c < 3; ++c) out.data<T>()[3 * i + c] = static_cast<T>(to[c]);
  });
}

template <class T>
Result<Kernel> MakeHue(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) { return AdjustPixels<T, TurnHue>(ctx, "delta", 6); });
}
template <class T>
Result<Kernel> MakeSaturation(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) { return AdjustPixels<T, Saturate>(ctx, "scale", 1); });
}

Status ContrastShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape in, ctx.WithRankAtLeast(0, 3));
  WEIR_TRY(ctx.WithRank(1, 0).status());
  ctx.set_output(0, std::move(in));
  return OkStatus();
}

}  // namespace

void RegisterAdjustColors(OpRegistry& registry) {
  registry.Add({
      .name = "AdjustContrastv2",
      .signature = "images: T, contrast_factor: float -> output: T",
      .attrs = {"T: {half, float} = DT_FLOAT"},
      .shape = ContrastShape,
      .kernels = CpuKernels<half, float>(WEIR_FOR_TYPE(MakeContrast)),
  });
  registry.Add({
      .name = "AdjustHue",
      .signature = "images: T, delta: float -> output: T",
      .attrs = {"T: {half, float} = DT_FLOAT"},
      .shape = SameAsInput(0, {.min_rank = 3}),
      .kernels = CpuKernels<half, float>(WEIR_FOR_TYPE(MakeHue)),
  });
  registry.Add({
      .name = "AdjustSaturation",
      .signature = "images: T, scale: float -> output: T",
      .attrs = {"T: {half, float} = DT_FLOAT"},
      .shape = SameAsInput(0, {.min_rank = 3}),
      .kernels = CpuKernels<half, float>(WEIR_FOR_TYPE(MakeSaturation)),
  });
}

}  // namespace weir::ops

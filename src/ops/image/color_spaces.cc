// RGBToHSV, HSVToRGB: the last dimension is red, green, blue, or hue, saturation, value; all in [0, 1].
#include <algorithm>
#include <cmath>

#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"

namespace weir::ops {
namespace {

template <class C>
void RgbToHsv(const C* rgb, C* hsv) {
  const C r = rgb[0], g = rgb[1], b = rgb[2];
  const C value = std::max(r, std::max(g, b));
  const C range = value - std::min(r, std::min(g, b));
  const C norm = (C(1) / range) * (C(1) / C(6));
  C hue = r == value ? norm * (g - b) : g == value ? norm * (b - r) + C(2) / C(6) : norm * (r - g) + C(4) / C(6);
  if (!(range > C(0))) hue = C(0);
  if (hue < C(0)) hue = hue + C(1);
  hsv[0] = hue;
  hsv[1] = value > C(0) ? range / value : C(0);
  hsv[2] = value;
}

template <class C>
void HsvToRgb(const C* hsv, C* rgb) {
  const C six = hsv[0] * C(6), saturation = hsv[1], value = hsv[2];
  const auto clamped = [](C x) { return std::min(std::max(x, C(0)), C(1)); };
  const C pure[3] = {clamped(std::abs(six - C(3)) - C(1)), clamped(C(2) - std::abs(six - C(2))),
                     clamped(C(2) - std::abs(six - C(4)))};
  for (int c = 0; c < 3; ++c) rgb[c] = ((C(1) - saturation) + saturation * pure[c]) * value;
}

// 16-bit types are computed in float.
template <class T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class T, bool kToHsv>
Result<Kernel> Make(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    const Tensor& in = ctx.input(0);
    if (in.rank() < 1) return InvalidArgument("input must be at least 1-D, got shape {}", in.shape());
    if (in.dim(in.rank() - 1) != 3)
      return FailedPrecondition("input must have 3 channels but input only has {} channels.", in.dim(in.rank() - 1));
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, in.shape()));
    return ctx.ParallelFor(in.num_elements() / 3, 20, [&](int64_t i) {
      Wide<T> from[3], to[3];
      for (int c = 0; c < 3; ++c) from[c] = static_cast<Wide<T>>(in.data<T>()[3 * i + c]);
      if constexpr (kToHsv)
        RgbToHsv(from, to);
      else
        HsvToRgb(from, to);
      for (int c = 0; c < 3; ++c) out.data<T>()[3 * i + c] = static_cast<T>(to[c]);
    });
  });
}
template <class T>
Result<Kernel> MakeToHsv(KernelSetup& setup) {
  return Make<T, true>(setup);
}
template <class T>
Result<Kernel> MakeToRgb(KernelSetup& setup) {
  return Make<T, false>(setup);
}

Status ThreeChannels(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape in, ctx.WithRankAtLeast(0, 1));
  if (in.known_rank()) {
    const int last = in.rank() - 1;
    WEIR_ASSIGN(const int64_t channels, MergeDims(in.dim(last), 3));
    in.SetDim(last, channels);
  }
  ctx.set_output(0, std::move(in));
  return OkStatus();
}

}  // namespace

void RegisterColorSpaces(OpRegistry& registry) {
  registry.Add({
      .name = "RGBToHSV",
      .signature = "images: T -> output: T",
      .attrs = {"T: {half, bfloat16, float, double} = DT_FLOAT"},
      .shape = ThreeChannels,
      .kernels = CpuKernels<half, bfloat16, float, double>(WEIR_FOR_TYPE(MakeToHsv)),
  });
  registry.Add({
      .name = "HSVToRGB",
      .signature = "images: T -> output: T",
      .attrs = {"T: {half, bfloat16, float, double} = DT_FLOAT"},
      .shape = ThreeChannels,
      .kernels = CpuKernels<half, bfloat16, float, double>(WEIR_FOR_TYPE(MakeToRgb)),
  });
}

}  // namespace weir::ops

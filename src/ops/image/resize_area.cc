// ResizeArea: each pixel is the mean of the area that it covers in the original, including fractions of pixels.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "ops/image/resize.h"

namespace weir::ops {
namespace {

// Pixels [begin, end) of a dimension, and the covered fractions of the first and last one.
struct Covered {
  int64_t begin, end;
  float first, last;
};

// Returns the fraction of pixel v that lies within [from, to].
float Part(float v, float from, float to, float scale) {
  if (v < from) return v + 1 > to ? scale : v + 1 - from;
  return v + 1 > to ? to - v : 1.0f;
}

Covered CoveredBy(const ResizeDim& side, int64_t i) {
  const float from = static_cast<float>(i) * side.scale, to = static_cast<float>(i + 1) * side.scale;
  Covered covered;
  covered.begin = static_cast<int64_t>(std::floor(from));
  covered.end = static_cast<int64_t>(std::ceil(to));
  covered.first = Part(static_cast<float>(covered.begin), from, to, side.scale);
  covered.last = Part(static_cast<float>(covered.end - 1), from, to, side.scale);
  return covered;
}

template <class T>
struct Area {
  const Resize& r;
  const T* image;

  float At(int64_t y, int64_t x, int64_t c) const {
    y = std::clamp<int64_t>(y, 0, r.rows.in - 1);
    x = std::clamp<int64_t>(x, 0, r.cols.in - 1);
    return static_cast<float>(image[(y * r.cols.in + x) * r.channels + c]);
  }
  float Row(int64_t y, const Covered& x, int64_t c) const {
    float sum = At(y, x.begin, c) * x.first;
    if (x.begin + 1 == x.end) return sum;
    for (int64_t i = x.begin + 1; i < x.end - 1; ++i) sum += At(y, i, c);
    return sum + At(y, x.end - 1, c) * x.last;
  }
  float Sum(const Covered& y, const Covered& x, int64_t c) const {
    float sum = 0;
    for (int64_t i = y.begin; i < y.end; ++i)
      sum += Row(i, x, c) * (i == y.begin ? y.first : i == y.end - 1 ? y.last : 1.0f);
    return sum;
  }
};

template <class T>
Result<Kernel> MakeResizeArea(KernelSetup& setup) {
  WEIR_ASSIGN(const ResizeMode mode, ResizeModeOf(setup));
  return Kernel::Sync([mode](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const Resize r, ResizeOf(ctx, mode));
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, Shape{r.batch, r.rows.out, r.cols.out, r.channels}));
    if (out.num_elements() == 0) return OkStatus();
    std::vector<Covered> cols(static_cast<size_t>(r.cols.out));
    for (int64_t x = 0; x < r.cols.out; ++x) cols[static_cast<size_t>(x)] = CoveredBy(r.cols, x);
    const float scale = static_cast<float>(1.0 / static_cast<double>(r.rows.scale * r.cols.scale));
    const int64_t image_size = r.rows.in * r.cols.in * r.channels;
    const auto area = static_cast<int64_t>(std::max(1.0f, r.rows.scale * r.cols.scale));
    return ctx.ParallelFor(r.batch * r.rows.out, r.cols.out * r.channels * area * 2, [&](int64_t line) {
      const Area<T> image{r, ctx.input(0).data<T>() + line / r.rows.out * image_size};
      const Covered y = CoveredBy(r.rows, line % r.rows.out);
      float* to = out.data<float>() + line * r.cols.out * r.channels;
      for (const Covered& x : cols) {
        for (int64_t c = 0; c < r.channels; ++c) *to++ = image.Sum(y, x, c) * scale;
      }
    });
  });
}

}  // namespace

void RegisterResizeArea(OpRegistry& registry) {
  registry.Add({
      .name = "ResizeArea",
      .signature = "images: T, size: int32 -> resized_images: float",
      .attrs = {absl::StrCat("T: {", kResizeTypes, "}"), "align_corners: bool = false"},
      .shape = ResizedShape,
      .kernels = ResizeKernels(WEIR_FOR_TYPE(MakeResizeArea)),
  });
}

}  // namespace weir::ops

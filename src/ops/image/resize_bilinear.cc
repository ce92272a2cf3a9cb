// ResizeBilinear and its gradient: each pixel is computed from the four pixels around it. Always computed in float.
#include "graph/build/image_ops.h"
#include "op/gradient_context.h"
#include "ops/image/resize.h"

namespace weir::ops {
namespace {

float Mix(float top_left, float top_right, float bottom_left, float bottom_right, float x, float y) {
  const float top = top_left + (top_right - top_left) * x;
  const float bottom = bottom_left + (bottom_right - bottom_left) * x;
  return top + (bottom - top) * y;
}

template <class T>
Result<Kernel> MakeResize(KernelSetup& setup) {
  return ResizeRows<T, float>(
      setup, ComputeLinearWeights, [](const Resize& r) { return r.cols.out * r.channels * 4; },
      [](const Resize& r, const T* image, const LinearWeights& y, const std::vector<LinearWeights>& cols, float* to) {
        const int64_t row_size = r.cols.in * r.channels;
        const T *top = image + y.lower * row_size, *bottom = image + y.upper * row_size;
        for (const LinearWeights& x : cols) {
          const int64_t left = x.lower * r.channels, right = x.upper * r.channels;
          for (int64_t c = 0; c < r.channels; ++c)
            *to++ = Mix(static_cast<float>(top[left + c]), static_cast<float>(top[right + c]),
                        static_cast<float>(bottom[left + c]), static_cast<float>(bottom[right + c]), x.lerp, y.lerp);
        }
      });
}

template <class T>
Result<Kernel> MakeResizeGrad(KernelSetup& setup) {
  return ResizeGradient<T>(setup, ComputeLinearWeights, 8,
                           [](const Resize& r, const float* from, const std::vector<LinearWeights>& rows,
                              const std::vector<LinearWeights>& cols, T* image) {
                             const auto add = [&](int64_t y, int64_t x, int64_t c, float value) {
                               T& to = image[(y * r.cols.in + x) * r.channels + c];
                               to = static_cast<T>(to + static_cast<T>(value));
                             };
                             for (const LinearWeights& y : rows) {
                               for (const LinearWeights& x : cols) {
                                 for (int64_t c = 0; c < r.channels; ++c, ++from) {
                                   add(y.lower, x.lower, c, *from * (1.0f - y.lerp) * (1.0f - x.lerp));
                                   add(y.lower, x.upper, c, *from * (1.0f - y.lerp) * x.lerp);
                                   add(y.upper, x.lower, c, *from * y.lerp * (1.0f - x.lerp));
                                   add(y.upper, x.upper, c, *from * y.lerp * x.lerp);
                                 }
                               }
                             }
                           });
}

Result<Gradients> Gradient(GradientContext& g) {
  WEIR_ASSIGN(const bool align, g.Attr<bool>("align_corners"));
  WEIR_ASSIGN(const bool half, g.Attr<bool>("half_pixel_centers"));
  if (!IsFloating(g.input(0).base_dtype())) return Gradients(2);
  return Gradients{ResizeBilinearGrad(g.d_output(0), g.input(0), {.align_corners = align, .half_pixel_centers = half}),
                   std::monostate{}};
}

}  // namespace

void RegisterResizeBilinear(OpRegistry& registry) {
  AddResize(registry, "int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double",
            {.name = "ResizeBilinear",
             .signature = "images: T, size: int32 -> resized_images: float",
             .gradient = Gradient,
             .kernels = ResizeKernels(WEIR_FOR_TYPE(MakeResize))});
  AddResize(registry, "float, bfloat16, half, double",
            {.name = "ResizeBilinearGrad",
             .signature = "grads: float, original_image: T -> output: T",
             .shape = SameAsInput(1),
             .kernels = CpuKernels<float, bfloat16, half, double>(WEIR_FOR_TYPE(MakeResizeGrad))});
}

}  // namespace weir::ops

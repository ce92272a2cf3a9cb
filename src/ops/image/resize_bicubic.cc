// ResizeBicubic and its gradient: each pixel is computed from the 16 pixels around it, along the columns first.
#include "graph/build/image_ops.h"
#include "op/gradient_context.h"
#include "ops/image/resize.h"

namespace weir::ops {
namespace {

float Weighted(const float* weight, float a, float b, float c, float d) {
  return a * weight[0] + b * weight[1] + c * weight[2] + d * weight[3];
}

template <class T>
Result<Kernel> MakeResize(KernelSetup& setup) {
  return ResizeRows<T, float>(
      setup, CubicWeights, [](const Resize& r) { return (r.cols.out + r.cols.in) * r.channels * 5; },
      [](const Resize& r, const T* image, const Cubic& y, const std::vector<Cubic>& cols, float* to) {
        const int64_t row_size = r.cols.in * r.channels;
        const T* lines[4];
        for (int k = 0; k < 4; ++k) lines[k] = image + y.index[k] * row_size;
        std::vector<float> column(static_cast<size_t>(row_size));
        for (int64_t i = 0; i < row_size; ++i)
          column[static_cast<size_t>(i)] =
              Weighted(y.weight, static_cast<float>(lines[0][i]), static_cast<float>(lines[1][i]),
                       static_cast<float>(lines[2][i]), static_cast<float>(lines[3][i]));
        for (const Cubic& x : cols) {
          for (int64_t c = 0; c < r.channels; ++c) {
            const auto at = [&](int k) { return column[static_cast<size_t>(x.index[k] * r.channels + c)]; };
            *to++ = Weighted(x.weight, at(0), at(1), at(2), at(3));
          }
        }
      });
}

template <class T>
Result<Kernel> MakeResizeGrad(KernelSetup& setup) {
  return ResizeGradient<T>(
      setup, CubicWeights, 32,
      [](const Resize& r, const float* from, const std::vector<Cubic>& rows, const std::vector<Cubic>& cols, T* image) {
        const int64_t row_size = r.cols.in * r.channels;
        for (const Cubic& y : rows) {
          for (const Cubic& x : cols) {
            for (int64_t c = 0; c < r.channels; ++c, ++from) {
              for (int i = 0; i < 4; ++i) {
                for (int k = 0; k < 4; ++k)
                  image[y.index[i] * row_size + x.index[k] * r.channels + c] +=
                      static_cast<T>(*from * y.weight[i] * x.weight[k]);
              }
            }
          }
        }
      });
}

Result<Gradients> Gradient(GradientContext& g) {
  WEIR_ASSIGN(const bool align, g.Attr<bool>("align_corners"));
  WEIR_ASSIGN(const bool half, g.Attr<bool>("half_pixel_centers"));
  const DType dtype = g.input(0).base_dtype();
  if (dtype != kFloat && dtype != kDouble) return Gradients(2);
  return Gradients{ResizeBicubicGrad(g.d_output(0), g.input(0), {.align_corners = align, .half_pixel_centers = half}),
                   std::monostate{}};
}

}  // namespace

void RegisterResizeBicubic(OpRegistry& registry) {
  AddResize(registry, kResizeTypes,
            {.name = "ResizeBicubic",
             .signature = "images: T, size: int32 -> resized_images: float",
             .gradient = Gradient,
             .kernels = ResizeKernels(WEIR_FOR_TYPE(MakeResize))});
  AddResize(registry, "float, double",
            {.name = "ResizeBicubicGrad",
             .signature = "grads: float, original_image: T -> output: T",
             .shape = SameAsInput(1),
             .kernels = CpuKernels<float, double>(WEIR_FOR_TYPE(MakeResizeGrad))});
}

}  // namespace weir::ops

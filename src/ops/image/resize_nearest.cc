// ResizeNearestNeighbor and its gradient, which sums up the gradients of all copies of a pixel.
#include "graph/build/array_ops.h"
#include "graph/build/image_ops.h"
#include "op/gradient_context.h"
#include "ops/image/resize.h"

namespace weir::ops {
namespace {

std::vector<int64_t> NearestOf(const ResizeDim& side, const ResizeMode& mode) {
  std::vector<int64_t> nearest(static_cast<size_t>(side.out));
  for (int64_t i = 0; i < side.out; ++i) nearest[static_cast<size_t>(i)] = side.Nearest(i, mode);
  return nearest;
}

template <class T>
Result<Kernel> MakeResize(KernelSetup& setup) {
  return ResizeRows<T, T>(
      setup, NearestOf, [](const Resize& r) { return r.cols.out * r.channels; },
      [](const Resize& r, const T* image, int64_t y, const std::vector<int64_t>& cols, T* to) {
        const T* from = image + y * r.cols.in * r.channels;
        for (const int64_t x : cols) {
          for (int64_t c = 0; c < r.channels; ++c) *to++ = from[x * r.channels + c];
        }
      });
}

template <class T>
Result<Kernel> MakeResizeGrad(KernelSetup& setup) {
  WEIR_ASSIGN(const ResizeMode mode, ResizeModeOf(setup));
  return Kernel::Sync([mode](KernelContext& ctx) -> Status {
    const Tensor &grads = ctx.input(0), &size = ctx.input(1);
    if (grads.rank() != 4) return InvalidArgument("input must be 4-dimensional, got {}", grads.shape());
    if (size.rank() != 1 || size.num_elements() != 2)
      return InvalidArgument("size must be a vector of 2 elements, got shape {}", size.shape());
    const int64_t height = size.Int(0), width = size.Int(1), channels = grads.dim(3);
    if (height <= 0 || width <= 0 || grads.dim(1) <= 0 || grads.dim(2) <= 0)
      return InvalidArgument("sizes must be positive, got {} and {} x {}", grads.shape(), height, width);
    WEIR_ASSIGN(const Shape shape, Shape::Make({grads.dim(0), height, width, channels}));
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, shape));
    out.ZeroFill();
    const ResizeDim row_side = SideOf(height, grads.dim(1), mode), col_side = SideOf(width, grads.dim(2), mode);
    const std::vector<int64_t> rows = NearestOf(row_side, mode), cols = NearestOf(col_side, mode);
    return ctx.ParallelFor(grads.dim(0), row_side.out * col_side.out * channels * 2, [&](int64_t b) {
      const T* from = grads.data<T>() + b * row_side.out * col_side.out * channels;
      T* image = out.data<T>() + b * height * width * channels;
      for (const int64_t y : rows) {
        for (const int64_t x : cols) {
          T* to = image + (y * width + x) * channels;
          for (int64_t c = 0; c < channels; ++c) to[c] = static_cast<T>(to[c] + *from++);
        }
      }
    });
  });
}

Result<Gradients> Gradient(GradientContext& g) {
  WEIR_ASSIGN(const bool align, g.Attr<bool>("align_corners"));
  WEIR_ASSIGN(const bool half, g.Attr<bool>("half_pixel_centers"));
  const Output image = g.input(0);
  const PartialShape shape = image.shape();
  Output size;
  if (shape.rank() == 4 && shape[1] >= 0 && shape[2] >= 0)
    size = Constant(image.graph(),
                    Tensor::Vector<int32_t>({static_cast<int32_t>(shape[1]), static_cast<int32_t>(shape[2])}));
  else
    size = StridedSlice(ShapeOf(image), {1}, {3}, {1});
  return Gradients{ResizeNearestNeighborGrad(g.d_output(0), size, {.align_corners = align, .half_pixel_centers = half}),
                   std::monostate{}};
}

}  // namespace

void RegisterResizeNearest(OpRegistry& registry) {
  AddResize(registry, kResizeTypes,
            {.name = "ResizeNearestNeighbor",
             .signature = "images: T, size: int32 -> resized_images: T",
             .gradient = Gradient,
             .kernels = ResizeKernels(WEIR_FOR_TYPE(MakeResize))});
  AddResize(
      registry, "uint8, int8, int32, half, float, double, bfloat16",
      {.name = "ResizeNearestNeighborGrad",
       .signature = "grads: T, size: int32 -> output: T",
       .kernels = CpuKernels<uint8_t, int8_t, int32_t, half, float, double, bfloat16>(WEIR_FOR_TYPE(MakeResizeGrad))});
}

}  // namespace weir::ops

// Shared by the resizing ops: maps pixels of the resized image to the original, in float as TensorFlow does.
#pragma once

#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"

namespace weir::ops {

struct ResizeMode {
  bool align_corners = false;
  bool half_pixel_centers = false;
};
Result<ResizeMode> ResizeModeOf(KernelSetup& setup);

// One dimension of an image: its size before and after.
struct ResizeDim {
  int64_t in = 0;
  int64_t out = 0;
  float scale = 0;  // original pixels per result pixel

  // The coordinate in the original of result pixel i.
  float At(int64_t i, const ResizeMode& mode) const {
    return mode.half_pixel_centers ? (static_cast<float>(i) + 0.5f) * scale - 0.5f : static_cast<float>(i) * scale;
  }
  // The original pixel nearest to result pixel i.
  int64_t Nearest(int64_t i, const ResizeMode& mode) const;
};
ResizeDim SideOf(int64_t in, int64_t out, const ResizeMode& mode);

struct Resize {
  int64_t batch = 0;
  int64_t channels = 0;
  ResizeDim rows;
  ResizeDim cols;
};
// Sizes for an op with the inputs images and size. Checks everything.
Result<Resize> ResizeOf(const KernelContext& ctx, const ResizeMode& mode);
// Sizes for a gradient op with the inputs grads and original_image. rows and cols map from the original to grads.
Result<Resize> ResizeOfGradient(const KernelContext& ctx, const ResizeMode& mode);

// Two adjacent pixels and the interpolation weight of the upper one.
struct LinearWeights {
  int64_t lower = 0;
  int64_t upper = 0;
  float lerp = 0;
};
std::vector<LinearWeights> ComputeLinearWeights(const ResizeDim& side, const ResizeMode& mode);

// Four pixels and their weights.
struct Cubic {
  int64_t index[4];
  float weight[4];
};
std::vector<Cubic> CubicWeights(const ResizeDim& side, const ResizeMode& mode);

// [batch, height, width, channels] and a size -> [batch, size[0], size[1], channels].
Status ResizedShape(ShapeContext& ctx);

// Kernels for the types of `images`. `make` is WEIR_FOR_TYPE of a factory.
template <class Make>
KernelList ResizeKernels(Make make) {
  return CpuKernels<int8_t, uint8_t, int16_t, uint16_t, int32_t, int64_t, half, float, double, bfloat16>(make);
}

// A kernel that resizes images of T to Out, row by row. `weights(dim, mode)` returns a weight for each result pixel
// along a dimension. row(resize, image, y, cols, to) computes a row with the weight `y`, where `cols` has the weights
// of its pixels. `cost(resize)` is the cost of a row.
template <class T, class Out, class Weights, class Cost, class Row>
Result<Kernel> ResizeRows(KernelSetup& setup, Weights weights, Cost cost, Row row) {
  WEIR_ASSIGN(const ResizeMode mode, ResizeModeOf(setup));
  return Kernel::Sync([=](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const Resize r, ResizeOf(ctx, mode));
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, Shape{r.batch, r.rows.out, r.cols.out, r.channels}));
    if (out.num_elements() == 0) return OkStatus();
    const auto rows = weights(r.rows, mode), cols = weights(r.cols, mode);
    const int64_t image_size = r.rows.in * r.cols.in * r.channels;
    return ctx.ParallelFor(r.batch * r.rows.out, cost(r), [&](int64_t line) {
      const T* image = ctx.input(0).data<T>() + line / r.rows.out * image_size;
      Out* to = out.data<Out>() + line * r.cols.out * r.channels;
      row(r, image, rows[static_cast<size_t>(line % r.rows.out)], cols, to);
    });
  });
}
// The gradient of such a kernel: add(resize, from, rows, cols, image) adds the gradients `from` of the result pixels of
// one image. `cost` is that of a result value.
template <class T, class Weights, class Add>
Result<Kernel> ResizeGradient(KernelSetup& setup, Weights weights, int64_t cost, Add add) {
  WEIR_ASSIGN(const ResizeMode mode, ResizeModeOf(setup));
  return Kernel::Sync([=](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const Resize r, ResizeOfGradient(ctx, mode));
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, ctx.input(1).shape()));
    out.ZeroFill();
    const auto rows = weights(r.rows, mode), cols = weights(r.cols, mode);
    const int64_t grad_size = r.rows.out * r.cols.out * r.channels;
    return ctx.ParallelFor(r.batch, grad_size * cost, [&](int64_t b) {
      add(r, ctx.input(0).data<float>() + b * grad_size, rows, cols,
          out.data<T>() + b * r.rows.in * r.cols.in * r.channels);
    });
  });
}

// Adds `entry`, which has a name, a signature and what differs between the ops. `types` are those of T.
void AddResize(OpRegistry& registry, const std::string& types, OpEntry entry);
inline constexpr char kResizeTypes[] = "int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16";

}  // namespace weir::ops

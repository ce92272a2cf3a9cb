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

// Adds `entry`, which has a name, a signature and what differs between the ops. `types` are those of T.
void AddResize(OpRegistry& registry, const std::string& types, OpEntry entry);
inline constexpr char kResizeTypes[] = "int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16";

}  // namespace weir::ops

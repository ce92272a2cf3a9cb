#include "ops/image/resize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace weir::ops {
namespace {

constexpr int64_t kTableSize = 1 << 10;
// Weights of the cubic convolution kernel at distances i / kTableSize and 1 + i / kTableSize.
using CubicTable = std::array<float, (kTableSize + 1) * 2>;

CubicTable MakeCubicTable(double a) {
  CubicTable table;
  for (int64_t i = 0; i <= kTableSize; ++i) {
    float x = static_cast<float>(static_cast<double>(i) / static_cast<double>(kTableSize));
    table[i * 2] = static_cast<float>(((a + 2) * x - (a + 3)) * x * x + 1);
    x = static_cast<float>(x + 1.0);
    table[i * 2 + 1] = static_cast<float>(((a * x - 5 * a) * x + 8 * a) * x - 4 * a);
  }
  return table;
}

// Sets the weights of pixels outside of the image to zero and normalizes the others.
void Normalize(int64_t first, Cubic* cubic) {
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
    if (cubic->index[k] != first + k) cubic->weight[k] = 0;
    sum += cubic->weight[k];
  }
  if (std::abs(sum) < 1000.0f * std::numeric_limits<float>::min()) return;
  const float factor = 1.0f / sum;
  for (float& weight : cubic->weight) weight *= factor;
}

}  // namespace

Result<ResizeMode> ResizeModeOf(KernelSetup& setup) {
  ResizeMode mode;
  WEIR_ASSIGN(mode.align_corners, setup.Attr<bool>("align_corners"));
  if (setup.HasAttr("half_pixel_centers")) {
    WEIR_ASSIGN(mode.half_pixel_centers, setup.Attr<bool>("half_pixel_centers"));
  }
  if (mode.align_corners && mode.half_pixel_centers)
    return InvalidArgument("If half_pixel_centers is True, align_corners must be False");
  return mode;
}

ResizeDim SideOf(int64_t in, int64_t out, const ResizeMode& mode) {
  ResizeDim side{in, out, 0};
  side.scale = mode.align_corners && out > 1 ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                                             : static_cast<float>(in) / static_cast<float>(out);
  return side;
}

int64_t ResizeDim::Nearest(int64_t i, const ResizeMode& mode) const {
  const float at = mode.half_pixel_centers ? (static_cast<float>(i) + 0.5f) * scale : static_cast<float>(i) * scale;
  const float whole = mode.align_corners ? std::round(at) : std::floor(at);
  return std::clamp<int64_t>(static_cast<int64_t>(whole), 0, in - 1);
}

Result<Resize> ResizeOf(const KernelContext& ctx, const ResizeMode& mode) {
  const Tensor &images = ctx.input(0), &size = ctx.input(1);
  if (images.rank() != 4) return InvalidArgument("images must be 4-dimensional, got {}", images.shape());
  if (size.rank() != 1 || size.num_elements() != 2)
    return InvalidArgument("size must be a vector of 2 elements, got shape {}", size.shape());
  const int64_t height = size.Int(0), width = size.Int(1);
  if (height <= 0 || width <= 0)
    return InvalidArgument("output dimensions must be positive, got {} x {}", height, width);
  if (images.num_elements() != 0 || images.dim(1) == 0 || images.dim(2) == 0) {
    if (images.dim(1) <= 0 || images.dim(2) <= 0)
      return InvalidArgument("input image must be of non-zero size, got {}", images.shape());
  }
  Resize r;
  r.batch = images.dim(0);
  r.channels = images.dim(3);
  r.rows = SideOf(images.dim(1), height, mode);
  r.cols = SideOf(images.dim(2), width, mode);
  WEIR_TRY(Shape::Make({r.batch, height, width, r.channels}).status());
  return r;
}

Result<Resize> ResizeOfGradient(const KernelContext& ctx, const ResizeMode& mode) {
  const Tensor &grads = ctx.input(0), &image = ctx.input(1);
  if (grads.rank() != 4) return InvalidArgument("input_grad must be 4-dimensional, got {}", grads.shape());
  if (image.rank() != 4) return InvalidArgument("original_image must be 4-dimensional, got {}", image.shape());
  if (grads.dim(0) != image.dim(0) || grads.dim(3) != image.dim(3))
    return InvalidArgument("gradients {} and image {} differ in batch or channels", grads.shape(), image.shape());
  for (int d : {1, 2}) {
    if (grads.dim(d) <= 0 || image.dim(d) <= 0)
      return InvalidArgument("images must be of non-zero size, got {} and {}", grads.shape(), image.shape());
  }
  Resize r;
  r.batch = image.dim(0);
  r.channels = image.dim(3);
  r.rows = SideOf(image.dim(1), grads.dim(1), mode);
  r.cols = SideOf(image.dim(2), grads.dim(2), mode);
  return r;
}

std::vector<LinearWeights> ComputeLinearWeights(const ResizeDim& side, const ResizeMode& mode) {
  std::vector<LinearWeights> all(static_cast<size_t>(side.out));
  for (int64_t i = 0; i < side.out; ++i) {
    const float at = side.At(i, mode), floor = std::floor(at);
    LinearWeights& between = all[static_cast<size_t>(i)];
    between.lower = std::max<int64_t>(static_cast<int64_t>(floor), 0);
    between.upper = std::min<int64_t>(static_cast<int64_t>(std::ceil(at)), side.in - 1);
    between.lower = std::min(between.lower, side.in - 1);
    between.lerp = at - floor;
  }
  return all;
}

std::vector<Cubic> CubicWeights(const ResizeDim& side, const ResizeMode& mode) {
  const CubicTable table = MakeCubicTable(mode.half_pixel_centers ? -0.5 : -0.75);
  std::vector<Cubic> all(static_cast<size_t>(side.out));
  for (int64_t i = 0; i < side.out; ++i) {
    const float at = side.At(i, mode);
    const auto whole = static_cast<int64_t>(std::floor(at));
    const int64_t offset = std::lrint((at - static_cast<float>(whole)) * static_cast<float>(kTableSize));
    Cubic& cubic = all[static_cast<size_t>(i)];
    for (int k = 0; k < 4; ++k) cubic.index[k] = std::clamp<int64_t>(whole - 1 + k, 0, side.in - 1);
    cubic.weight[0] = table[static_cast<size_t>(offset * 2 + 1)];
    cubic.weight[1] = table[static_cast<size_t>(offset * 2)];
    cubic.weight[2] = table[static_cast<size_t>((kTableSize - offset) * 2)];
    cubic.weight[3] = table[static_cast<size_t>((kTableSize - offset) * 2 + 1)];
    if (mode.half_pixel_centers) Normalize(whole - 1, &cubic);
  }
  return all;
}

Status ResizedShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape images, ctx.WithRank(0, 4));
  WEIR_ASSIGN(const PartialShape size_shape, ctx.WithRank(1, 1));
  if (size_shape.dim(0) != kUnknownDim && size_shape.dim(0) != 2)
    return InvalidArgument("Dimension must be 2: size has {} elements", size_shape.dim(0));
  int64_t height = kUnknownDim, width = kUnknownDim;
  if (const Tensor* size = ctx.constant(1); size != nullptr && size->num_elements() == 2) {
    height = std::max(size->Int(0), kUnknownDim);  // the kernel checks that it is positive
    width = std::max(size->Int(1), kUnknownDim);
  } else if (const PartialShape known = ctx.constant_as_shape(1); known.known_rank() && known.rank() == 2) {
    height = known.dim(0);
    width = known.dim(1);
  }
  ctx.set_output(0, PartialShape{images.dim(0), height, width, images.dim(3)});
  return OkStatus();
}

void AddResize(OpRegistry& registry, const std::string& types, OpEntry entry) {
  entry.attrs = {"T: {" + types + "}", "align_corners: bool = false", "half_pixel_centers: bool = false"};
  if (!entry.shape) entry.shape = ResizedShape;
  registry.Add(std::move(entry));
}

}  // namespace weir::ops

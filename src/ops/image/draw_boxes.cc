// DrawBoundingBoxes, DrawBoundingBoxesV2: draw the outlines of boxes [y_min, x_min, y_max, x_max] (normalized
// coordinates) on copies of the images. Parts outside of an image are not drawn.
#include <algorithm>
#include <cmath>

#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"

namespace weir::ops {
namespace {

using Color = std::array<float, 4>;

std::vector<Color> DefaultColors() {
  return {{1, 1, 0, 1},     {0, 0, 1, 1},   {1, 0, 0, 1},   {0, 1, 0, 1}, {0.5, 0, 0.5, 1},
          {0.5, 0.5, 0, 1}, {0.5, 0, 0, 1}, {0, 0, 0.5, 1}, {0, 1, 1, 1}, {1, 0, 1, 1}};
}

Result<std::vector<Color>> ColorsOf(const KernelContext& ctx, int64_t channels) {
  std::vector<Color> colors = DefaultColors();
  if (ctx.num_inputs() == 3 && ctx.input(2).rank() != 2)
    return InvalidArgument("colors must be a 2-D matrix, got {}", ctx.input(2).shape());
  if (ctx.num_inputs() < 3 || ctx.input(2).num_elements() == 0) {
    if (channels == 1) {
      for (Color& color : colors) color[0] = 1;
    }
    return colors;
  }
  const Tensor& table = ctx.input(2);
  if (table.dim(1) < channels)
    return InvalidArgument("colors must have equal or more channels than the image: {} for {}", table.shape(),
                           channels);
  colors.assign(static_cast<size_t>(table.dim(0)), Color{});
  for (int64_t i = 0; i < table.dim(0); ++i) {
    for (int64_t c = 0; c < channels; ++c)
      colors[static_cast<size_t>(i)][static_cast<size_t>(c)] = table.data<float>()[i * table.dim(1) + c];
  }
  return colors;
}

template <class T>
struct Canvas {
  T* pixels;
  int64_t height, width, channels;

  void Paint(int64_t y, int64_t x, const Color& color) const {
    for (int64_t c = 0; c < channels; ++c)
      pixels[(y * width + x) * channels + c] = static_cast<T>(color[static_cast<size_t>(c)]);
  }
  void DrawBox(const float* box, const Color& color) const {
    // In double, because coordinates far outside do not fit into an integer.
    const auto scaled = [](float at, int64_t size) {
      return std::floor(static_cast<double>(at * static_cast<float>(size - 1)));
    };
    const double top = scaled(box[0], height), left = scaled(box[1], width);
    const double bottom = scaled(box[2], height), right = scaled(box[3], width);
    const double last_row = static_cast<double>(height - 1), last_col = static_cast<double>(width - 1);
    if (!(top <= bottom && left <= right && top <= last_row && left <= last_col && bottom >= 0 && right >= 0)) return;
    const auto first_y = static_cast<int64_t>(std::max(top, 0.0)),
               end_y = static_cast<int64_t>(std::min(bottom, last_row));
    const auto first_x = static_cast<int64_t>(std::max(left, 0.0)),
               end_x = static_cast<int64_t>(std::min(right, last_col));
    for (int64_t x = first_x; x <= end_x; ++x) {
      if (top >= 0) Paint(first_y, x, color);
      if (bottom <= last_row) Paint(end_y, x, color);
    }
    for (int64_t y = first_y; y <= end_y; ++y) {
      if (left >= 0) Paint(y, first_x, color);
      if (right <= last_col) Paint(y, end_x, color);
    }
  }
};

template <class T>
Result<Kernel> MakeDraw(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    const Tensor &images = ctx.input(0), &boxes = ctx.input(1);
    if (images.rank() != 4) return InvalidArgument("The rank of the images should be 4, got {}", images.shape());
    if (boxes.rank() != 3 || boxes.dim(2) != 4)
      return InvalidArgument("The boxes must be [batch, boxes, 4], got {}", boxes.shape());
    if (images.dim(0) != boxes.dim(0))
      return InvalidArgument("The batch sizes should be the same: {} and {}", images.shape(), boxes.shape());
    const int64_t height = images.dim(1), width = images.dim(2), channels = images.dim(3);
    if (channels != 1 && channels != 3 && channels != 4)
      return InvalidArgument("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA), got {}", channels);
    WEIR_ASSIGN(const std::vector<Color> colors, ColorsOf(ctx, channels));
    WEIR_ASSIGN(const Tensor out, ctx.ForwardOrAllocate(0, 0));
    if (out.num_elements() == 0) return OkStatus();
    if (out.raw() != images.raw()) std::copy_n(images.data<T>(), images.num_elements(), out.data<T>());
    const int64_t count = boxes.dim(1);
    for (int64_t b = 0; b < images.dim(0); ++b) {
      const Canvas<T> canvas{out.data<T>() + b * height * width * channels, height, width, channels};
      for (int64_t i = 0; i < count; ++i)
        canvas.DrawBox(boxes.data<float>() + (b * count + i) * 4, colors[static_cast<size_t>(i) % colors.size()]);
    }
    return OkStatus();
  });
}

Status DrawShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape images, ctx.WithRank(0, 4));
  WEIR_ASSIGN(const PartialShape boxes, ctx.WithRank(1, 3));
  WEIR_TRY(MergeDims(boxes.dim(2), 4).status());
  const int64_t channels = images.dim(3);
  if (channels >= 0 && channels != 1 && channels != 3 && channels != 4)
    return InvalidArgument("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)");
  ctx.set_output(0, std::move(images));
  return OkStatus();
}

}  // namespace

void RegisterDrawBoxes(OpRegistry& registry) {
  registry.Add({
      .name = "DrawBoundingBoxes",
      .signature = "images: T, boxes: float -> output: T",
      .attrs = {"T: {float, half} = DT_FLOAT"},
      .shape = DrawShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernels<float, half>(WEIR_FOR_TYPE(MakeDraw)),
  });
  registry.Add({
      .name = "DrawBoundingBoxesV2",
      .signature = "images: T, boxes: float, colors: float -> output: T",
      .attrs = {"T: {float, half} = DT_FLOAT"},
      .shape = SameAsInput(0, {.min_rank = 3}),
      .no_gradient = kNoGradient,
      .kernels = CpuKernels<float, half>(WEIR_FOR_TYPE(MakeDraw)),
  });
}

}  // namespace weir::ops

// CropAndResize and its gradients: crops boxes [y1, x1, y2, x2] (normalized coordinates) and resizes them to one size.
// Points outside of the image get extrapolation_value.
#include <cmath>

#include "graph/build/array_ops.h"
#include "graph/build/image_ops.h"
#include "graph/build/math_ops.h"
#include "op/gradient_context.h"
#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"

namespace weir::ops {
namespace {

struct Crops {
  int64_t batch = 0, height = 0, width = 0, channels = 0;  // of the images
  int64_t count = 0, crop_height = 0, crop_width = 0;
  const float* boxes = nullptr;
  const int32_t* owners = nullptr;  // index of the image of each box

  int64_t image_row() const { return width * channels; }
  int64_t image_size() const { return height * image_row(); }
  int64_t crop_size() const { return crop_height * crop_width * channels; }
};

// Returns the coordinate in the image of pixel i of a crop, along one dimension.
float SourceCoordinate(float from, float to, int64_t size, int64_t crop, int64_t i) {
  const auto last = static_cast<float>(size - 1);
  if (crop <= 1) return static_cast<float>(0.5 * static_cast<double>(from + to) * static_cast<double>(size - 1));
  const float scale = (to - from) * last / static_cast<float>(crop - 1);
  return from * last + static_cast<float>(i) * scale;
}
// In double, because a large size rounded to float may exceed the last pixel.
bool Inside(float at, int64_t size) { return at >= 0 && static_cast<double>(at) <= static_cast<double>(size - 1); }

struct BilinearTap {
  int64_t lower, upper, nearest;
  float lerp;
};
BilinearTap PixelsAt(float at) {
  const float floor = std::floor(at);
  return {static_cast<int64_t>(floor), static_cast<int64_t>(std::ceil(at)), static_cast<int64_t>(std::round(at)),
          at - floor};
}

// Calls work(crop, row, column, y, x) for every pixel of a crop that lies inside of the image, outside(crop, row,
// column) for the others.
template <class Work, class Outside>
void ForEachPixel(const Crops& crops, int64_t crop, Work&& work, Outside&& outside) {
  const float* box = crops.boxes + crop * 4;
  for (int64_t i = 0; i < crops.crop_height; ++i) {
    const float y = SourceCoordinate(box[0], box[2], crops.height, crops.crop_height, i);
    for (int64_t j = 0; j < crops.crop_width; ++j) {
      const float x = SourceCoordinate(box[1], box[3], crops.width, crops.crop_width, j);
      if (Inside(y, crops.height) && Inside(x, crops.width))
        work(i, j, PixelsAt(y), PixelsAt(x));
      else
        outside(i, j);
    }
  }
}

Status AddBoxes(const Tensor& boxes, const Tensor& owners, Crops* crops) {
  if (boxes.rank() != 2 || boxes.dim(1) != 4)
    return InvalidArgument("boxes must be [number, 4], got {}", boxes.shape());
  if (owners.rank() != 1 || owners.dim(0) != boxes.dim(0))
    return InvalidArgument("box_index has incompatible shape {} for boxes {}", owners.shape(), boxes.shape());
  crops->count = boxes.dim(0);
  crops->boxes = boxes.data<float>();
  crops->owners = owners.data<int32_t>();
  for (int64_t i = 0; i < crops->count; ++i) {
    if (crops->owners[i] < 0 || crops->owners[i] >= crops->batch)
      return OutOfRange("box_index has values outside [0, batch_size): {} of {}", crops->owners[i], crops->batch);
  }
  return OkStatus();
}

Status SetImage(absl::Span<const int64_t> dims, Crops* crops) {
  crops->batch = dims[0];
  crops->height = dims[1];
  crops->width = dims[2];
  crops->channels = dims[3];
  if (crops->height <= 0 || crops->width <= 0)
    return InvalidArgument("image dimensions must be positive, got {} x {}", crops->height, crops->width);
  return OkStatus();
}

template <class T>
Result<Kernel> MakeCrop(KernelSetup& setup) {
  WEIR_ASSIGN(const std::string method, setup.Attr<std::string>("method"));
  WEIR_ASSIGN(const float extrapolation, setup.Attr<float>("extrapolation_value"));
  const bool nearest = method == "nearest";
  return Kernel::Sync([nearest, extrapolation](KernelContext& ctx) -> Status {
    const Tensor &image = ctx.input(0), &size = ctx.input(3);
    if (image.rank() != 4) return InvalidArgument("input image must be 4-D, got {}", image.shape());
    if (size.rank() != 1 || size.num_elements() != 2)
      return InvalidArgument("crop_size must be a vector of 2 elements, got shape {}", size.shape());
    Crops crops;
    WEIR_TRY(SetImage(image.shape().dims(), &crops));
    crops.crop_height = size.Int(0);
    crops.crop_width = size.Int(1);
    if (crops.crop_height <= 0 || crops.crop_width <= 0)
      return InvalidArgument("crop dimensions must be positive, got {} x {}", crops.crop_height, crops.crop_width);
    WEIR_TRY(AddBoxes(ctx.input(1), ctx.input(2), &crops));
    WEIR_ASSIGN(const Shape shape, Shape::Make({crops.count, crops.crop_height, crops.crop_width, crops.channels}));
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, shape));
    if (out.num_elements() == 0) return OkStatus();
    return ctx.ParallelFor(crops.count, crops.crop_size() * 8, [&](int64_t b) {
      const T* from = image.data<T>() + crops.owners[b] * crops.image_size();
      float* to = out.data<float>() + b * crops.crop_size();
      const auto at = [&](int64_t y, int64_t x, int64_t c) {
        return static_cast<float>(from[y * crops.image_row() + x * crops.channels + c]);
      };
      const auto target = [&](int64_t i, int64_t j) { return to + (i * crops.crop_width + j) * crops.channels; };
      ForEachPixel(
          crops, b,
          [&](int64_t i, int64_t j, const BilinearTap& y, const BilinearTap& x) {
            float* pixel = target(i, j);
            for (int64_t c = 0; c < crops.channels; ++c) {
              if (nearest) {
                pixel[c] = at(y.nearest, x.nearest, c);
                continue;
              }
              const float top = at(y.lower, x.lower, c) + (at(y.lower, x.upper, c) - at(y.lower, x.lower, c)) * x.lerp;
              const float bottom =
                  at(y.upper, x.lower, c) + (at(y.upper, x.upper, c) - at(y.upper, x.lower, c)) * x.lerp;
              pixel[c] = top + (bottom - top) * y.lerp;
            }
          },
          [&](int64_t i, int64_t j) { std::fill_n(target(i, j), crops.channels, extrapolation); });
    });
  });
}

Status SetGrads(const Tensor& grads, Crops* crops) {
  if (grads.rank() != 4) return InvalidArgument("grads must be 4-D, got {}", grads.shape());
  crops->crop_height = grads.dim(1);
  crops->crop_width = grads.dim(2);
  if (grads.dim(0) != crops->count || grads.dim(3) != crops->channels)
    return InvalidArgument("grads of shape {} do not match {} boxes with {} channels", grads.shape(), crops->count,
                           crops->channels);
  if (crops->crop_height <= 0 || crops->crop_width <= 0)
    return InvalidArgument("grads dimensions must be positive, got {}", grads.shape());
  return OkStatus();
}

template <class T>
Result<Kernel> MakeImageGrad(KernelSetup& setup) {
  WEIR_ASSIGN(const std::string method, setup.Attr<std::string>("method"));
  const bool nearest = method == "nearest";
  return Kernel::Sync([nearest](KernelContext& ctx) -> Status {
    const Tensor &grads = ctx.input(0), &size = ctx.input(3);
    if (size.rank() != 1 || size.num_elements() != 4)
      return InvalidArgument("image_size must be a vector of 4 elements, got shape {}", size.shape());
    const std::vector<int64_t> dims = size.Ints();
    WEIR_ASSIGN(const Shape shape, Shape::Make(dims));
    Crops crops;
    WEIR_TRY(SetImage(dims, &crops));
    WEIR_TRY(AddBoxes(ctx.input(1), ctx.input(2), &crops));
    WEIR_TRY(SetGrads(grads, &crops));
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, shape));
    out.ZeroFill();
    for (int64_t b = 0; b < crops.count; ++b) {
      T* image = out.data<T>() + crops.owners[b] * crops.image_size();
      const float* from = grads.data<float>() + b * crops.crop_size();
      const auto add = [&](int64_t y, int64_t x, int64_t c, float value) {
        T& to = image[y * crops.image_row() + x * crops.channels + c];
        to = static_cast<T>(to + static_cast<T>(value));
      };
      ForEachPixel(
          crops, b,
          [&](int64_t i, int64_t j, const BilinearTap& y, const BilinearTap& x) {
            const float* pixel = from + (i * crops.crop_width + j) * crops.channels;
            for (int64_t c = 0; c < crops.channels; ++c) {
              if (nearest) {
                add(y.nearest, x.nearest, c, pixel[c]);
                continue;
              }
              const float top = (1 - y.lerp) * pixel[c], bottom = y.lerp * pixel[c];
              add(y.lower, x.lower, c, (1 - x.lerp) * top);
              add(y.lower, x.upper, c, x.lerp * top);
              add(y.upper, x.lower, c, (1 - x.lerp) * bottom);
              add(y.upper, x.upper, c, x.lerp * bottom);
            }
          },
          [](int64_t, int64_t) {});
    }
    return OkStatus();
  });
}

// Derivatives of the coordinate with respect to the begin and end of the box, along one dimension.
struct Slopes {
  float begin, end;
};
Slopes SlopesOf(int64_t size, int64_t crop, int64_t i) {
  const auto last = static_cast<float>(size - 1);
  if (crop <= 1) return {0.5f * last, 0.5f * last};
  const float ratio = last / static_cast<float>(crop - 1);
  return {last - static_cast<float>(i) * ratio, static_cast<float>(i) * ratio};
}

template <class T>
Result<Kernel> MakeBoxesGrad(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    const Tensor &grads = ctx.input(0), &image = ctx.input(1);
    if (image.rank() != 4) return InvalidArgument("input image must be 4-D, got {}", image.shape());
    Crops crops;
    WEIR_TRY(SetImage(image.shape().dims(), &crops));
    WEIR_TRY(AddBoxes(ctx.input(2), ctx.input(3), &crops));
    WEIR_TRY(SetGrads(grads, &crops));
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, Shape{crops.count, 4}));
    out.ZeroFill();
    return ctx.ParallelFor(crops.count, crops.crop_size() * 12, [&](int64_t b) {
      const T* from = image.data<T>() + crops.owners[b] * crops.image_size();
      const float* pixels = grads.data<float>() + b * crops.crop_size();
      float* to = out.data<float>() + b * 4;
      const auto at = [&](int64_t y, int64_t x, int64_t c) {
        return static_cast<float>(from[y * crops.image_row() + x * crops.channels + c]);
      };
      ForEachPixel(
          crops, b,
          [&](int64_t i, int64_t j, const BilinearTap& y, const BilinearTap& x) {
            const Slopes rows = SlopesOf(crops.height, crops.crop_height, i);
            const Slopes cols = SlopesOf(crops.width, crops.crop_width, j);
            for (int64_t c = 0; c < crops.channels; ++c) {
              const float top_left = at(y.lower, x.lower, c), top_right = at(y.lower, x.upper, c);
              const float bottom_left = at(y.upper, x.lower, c), bottom_right = at(y.upper, x.upper, c);
              const float grad = pixels[(i * crops.crop_width + j) * crops.channels + c];
              const float dy = ((1 - x.lerp) * (bottom_left - top_left) + x.lerp * (bottom_right - top_right)) * grad;
              const float dx = ((1 - y.lerp) * (top_right - top_left) + y.lerp * (bottom_right - bottom_left)) * grad;
              to[0] += dy * rows.begin;
              to[1] += dx * cols.begin;
              to[2] += dy * rows.end;
              to[3] += dx * cols.end;
            }
          },
          [](int64_t, int64_t) {});
    });
  });
}

Result<Gradients> Gradient(GradientContext& g) {
  WEIR_ASSIGN(const std::string method, g.Attr<std::string>("method"));
  const Output image = g.input(0), boxes = g.input(1), owners = g.input(2), dy = g.d_output(0);
  const DType dtype = image.base_dtype();
  Gradients grads(4);
  if (dtype == kHalf || dtype == kFloat || dtype == kDouble)
    grads[0] = CropAndResizeGradImage(dy, boxes, owners, ShapeOf(image), dtype, {.method = method});
  // The method "nearest" has no gradient for the boxes; as in TensorFlow, the bilinear one is used.
  grads[1] = CropAndResizeGradBoxes(dy, image, boxes, owners);
  return grads;
}

Status CropShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape image, ctx.WithRank(0, 4));
  WEIR_ASSIGN(const PartialShape boxes, ctx.WithRank(1, 2));
  WEIR_ASSIGN(const PartialShape owners, ctx.WithRank(2, 1));
  WEIR_ASSIGN(const int64_t count, MergeDims(boxes.dim(0), owners.dim(0)));
  WEIR_TRY(MergeDims(boxes.dim(1), 4).status());
  WEIR_ASSIGN(const PartialShape size_shape, ctx.WithRank(3, 1));
  WEIR_TRY(MergeDims(size_shape.dim(0), 2).status());
  int64_t height = kUnknownDim, width = kUnknownDim;
  if (const Tensor* size = ctx.constant(3); size != nullptr && size->num_elements() == 2) {
    height = std::max(size->Int(0), kUnknownDim);
    width = std::max(size->Int(1), kUnknownDim);
  }
  ctx.set_output(0, PartialShape{count, height, width, image.dim(3)});
  return OkStatus();
}

Status ImageGradShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape shape, ShapeOfInputValue(ctx, 3));
  if (shape.known_rank() && shape.rank() != 4) return InvalidArgument("image_size must have 4 elements, got {}", shape);
  ctx.set_output(0, std::move(shape));
  return OkStatus();
}

}  // namespace

void RegisterCropAndResize(OpRegistry& registry) {
  registry.Add({
      .name = "CropAndResize",
      .signature = "image: T, boxes: float, box_ind: int32, crop_size: int32 -> crops: float",
      .attrs = {"T: {uint8, uint16, int8, int16, int32, int64, half, float, double}",
                "method: {'bilinear', 'nearest'} = 'bilinear'", "extrapolation_value: float = 0.0"},
      .shape = CropShape,
      .gradient = Gradient,
      .kernels = CpuKernels<uint8_t, uint16_t, int8_t, int16_t, int32_t, int64_t, half, float, double>(
          WEIR_FOR_TYPE(MakeCrop)),
  });
  registry.Add({
      .name = "CropAndResizeGradImage",
      .signature = "grads: float, boxes: float, box_ind: int32, image_size: int32 -> output: T",
      .attrs = {"T: {float, half, double}", "method: {'bilinear', 'nearest'} = 'bilinear'"},
      .shape = ImageGradShape,
      .kernels = CpuKernels<float, half, double>(WEIR_FOR_TYPE(MakeImageGrad)),
  });
  registry.Add({
      .name = "CropAndResizeGradBoxes",
      .signature = "grads: float, image: T, boxes: float, box_ind: int32 -> output: float",
      .attrs = {"T: {uint8, uint16, int8, int16, int32, int64, half, float, double}",
                "method: {'bilinear'} = 'bilinear'"},
      .shape = SameAsInput(2),
      .kernels = CpuKernels<uint8_t, uint16_t, int8_t, int16_t, int32_t, int64_t, half, float, double>(
          WEIR_FOR_TYPE(MakeBoxesGrad)),
  });
}

}  // namespace weir::ops

// SampleDistortedBoundingBox and its V2: returns a random crop that contains enough of at least one of the objects in
// the image. Equal seeds give TensorFlow's boxes: numbers are drawn in the same order and sizes are rounded in the same
// way.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/math/random_fill.h"

namespace weir::ops {
namespace {

// A box in pixels; bottom and right are exclusive.
struct PixelBox {
  int64_t top = 0, left = 0, bottom = 0, right = 0;

  float Area() const {
    return static_cast<float>(std::max<int64_t>(0, right - left) * std::max<int64_t>(0, bottom - top));
  }
  PixelBox Overlap(const PixelBox& other) const {
    return {std::max(top, other.top), std::max(left, other.left), std::min(bottom, other.bottom),
            std::min(right, other.right)};
  }
};

struct SampleOptions {
  std::vector<float> ratios;  // allowed width / height: min and max
  std::vector<float> areas;   // allowed fractions of the image's area: min and max
  float covered = 0;          // fraction of an object that must be covered
  int64_t attempts = 0;
  bool whole_without_boxes = false;
};

// Returns a uniformly distributed number in [0, n).
int64_t Draw(SingleSamples& random, int64_t n) {
  const auto count = static_cast<uint32_t>(n);
  if ((count & (count - 1)) == 0) return random() & (count - 1);
  const uint32_t unfair = std::numeric_limits<uint32_t>::max() % count + 1;  // rejected, would bias the result
  uint32_t number = random();
  while (number < unfair) number = random();
  return number % count;
}

// Returns a random crop with this aspect ratio and an allowed area, or nullopt if rounding makes that impossible.
std::optional<PixelBox> DrawCrop(SingleSamples& random, int64_t height, int64_t width, float ratio,
                                 const SampleOptions& wanted) {
  // Sizes beyond any image are clamped to a value whose square fits into an int64.
  const auto pixels = [](float count) { return static_cast<int64_t>(std::min(std::rint(count), 0x1p31f)); };
  const auto across = [&](int64_t rows) { return pixels(static_cast<float>(rows) * ratio); };
  const auto rows_of = [&](float area) { return pixels(std::sqrt(area / ratio)); };
  const float least = wanted.areas[0] * static_cast<float>(width) * static_cast<float>(height);
  const float most = wanted.areas[1] * static_cast<float>(width) * static_cast<float>(height);
  int64_t most_rows = rows_of(most);
  if (across(most_rows) > width) {
    constexpr float kBelowHalf = 0.0000001f;
    most_rows = static_cast<int64_t>((static_cast<double>(width) + 0.5 - kBelowHalf) / ratio);
    if (across(most_rows) > width) --most_rows;
  }
  most_rows = std::min(most_rows, height);
  int64_t rows = std::min(rows_of(least), most_rows);
  if (rows < most_rows) rows += Draw(random, most_rows - rows + 1);
  const auto area = [&] { return static_cast<float>(across(rows) * rows); };
  if (area() < least) ++rows;
  if (area() > most) --rows;
  const int64_t columns = across(rows);
  if (area() < least || area() > most || rows > height || columns > width || rows <= 0 || columns <= 0)
    return std::nullopt;
  const int64_t top = rows < height ? Draw(random, height - rows) : 0;
  const int64_t left = columns < width ? Draw(random, width - columns) : 0;
  return PixelBox{top, left, top + rows, left + columns};
}

bool ShowsAnObject(const PixelBox& crop, const std::vector<PixelBox>& objects, float covered) {
  return crop.Area() >= 1 && std::any_of(objects.begin(), objects.end(), [&](const PixelBox& object) {
           return object.Area() >= 1 && crop.Overlap(object).Area() / object.Area() >= covered;
         });
}

Result<std::vector<PixelBox>> ObjectsIn(const Tensor& boxes, int64_t height, int64_t width, bool whole_without_boxes) {
  if (boxes.rank() != 3 || boxes.dim(2) != 4)
    return InvalidArgument("bounding_boxes must be [batch, number, 4], but is {}", boxes.shape());
  std::vector<PixelBox> objects;
  const auto corners = boxes.flat<float>();
  for (const float at : corners)
    if (!(at >= 0 && at <= 1))
      return InvalidArgument("All bounding box coordinates must be in [0.0, 1.0], but one is {}", at);
  const auto scaled = [](float at, int64_t size) { return static_cast<int64_t>(at * static_cast<float>(size)); };
  for (size_t i = 0; i + 3 < corners.size(); i += 4)
    objects.push_back({scaled(corners[i], height), scaled(corners[i + 1], width), scaled(corners[i + 2], height),
                       scaled(corners[i + 3], width)});
  if (!objects.empty()) return objects;
  if (!whole_without_boxes)
    return InvalidArgument(
        "No bounding boxes provided as input. Set use_image_if_no_bounding_boxes to use the whole image as the "
        "bounding box.");
  objects.push_back({0, 0, height, width});
  return objects;
}

Status CheckRange(const std::vector<float>& range, const char* name, float most) {
  if (range.size() != 2) return InvalidArgument("{} must have 2 values, but has {}", name, range.size());
  if (!(range[0] > 0 && range[0] <= range[1] && range[1] <= most))
    return InvalidArgument("{} must be two positive numbers{}, the smaller one first, but is [{}, {}]", name,
                           most == 1 ? " up to 1" : "", range[0], range[1]);
  return OkStatus();
}

template <class T>
Result<PixelBox> ImageOf(const Tensor& size) {
  if (size.rank() != 1 || size.dim(0) != 3)
    return InvalidArgument("image_size must have 3 elements, height, width and channels, but its shape is {}",
                           size.shape());
  const auto height = static_cast<int64_t>(size.data<T>()[0]), width = static_cast<int64_t>(size.data<T>()[1]);
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (height <= 0 || width <= 0 || height > kMost || width > kMost)
    return InvalidArgument("image_size must be positive and less than 2^31, but is {} x {}", height, width);
  return PixelBox{0, 0, height, width};
}

template <class T>
Status SetBox(KernelContext& ctx, const PixelBox& crop, const PixelBox& image) {
  WEIR_ASSIGN(const Tensor begin, ctx.Allocate(0, Shape({3})));
  WEIR_ASSIGN(const Tensor size, ctx.Allocate(1, Shape({3})));
  WEIR_ASSIGN(const Tensor box, ctx.Allocate(2, Shape({1, 1, 4})));
  const std::array<int64_t, 3> from{crop.top, crop.left, 0};
  const std::array<int64_t, 3> count{crop.bottom - crop.top, crop.right - crop.left, -1};  // all channels
  for (size_t i = 0; i < 3; ++i) {
    begin.data<T>()[i] = static_cast<T>(from[i]);
    size.data<T>()[i] = static_cast<T>(count[i]);
  }
  const auto part = [](int64_t at, int64_t of) { return static_cast<float>(at) / static_cast<float>(of); };
  float* corners = box.data<float>();
  corners[0] = part(crop.top, image.bottom);
  corners[1] = part(crop.left, image.right);
  corners[2] = part(crop.bottom, image.bottom);
  corners[3] = part(crop.right, image.right);
  return OkStatus();
}

// has_input: min_object_covered is an input instead of an attribute.
template <class T, bool has_input>
Result<Kernel> MakeSampleBox(KernelSetup& setup) {
  SampleOptions wanted;
  WEIR_ASSIGN(wanted.ratios, setup.Attr<std::vector<float>>("aspect_ratio_range"));
  WEIR_ASSIGN(wanted.areas, setup.Attr<std::vector<float>>("area_range"));
  WEIR_ASSIGN(wanted.attempts, setup.Attr<int64_t>("max_attempts"));
  WEIR_ASSIGN(wanted.whole_without_boxes, setup.Attr<bool>("use_image_if_no_bounding_boxes"));
  WEIR_TRY(CheckRange(wanted.ratios, "aspect_ratio_range", std::numeric_limits<float>::max()));
  WEIR_TRY(CheckRange(wanted.areas, "area_range", 1));
  if (wanted.attempts <= 0) return InvalidArgument("max_attempts must be positive, but is {}", wanted.attempts);
  if constexpr (!has_input) {
    WEIR_ASSIGN(wanted.covered, setup.Attr<float>("min_object_covered"));
  }
  WEIR_ASSIGN(std::shared_ptr<NodeGenerator> generator, NodeGenerator::Make(setup));
  return Kernel::Sync([wanted, generator](KernelContext& ctx) -> Status {
    float covered = wanted.covered;
    if constexpr (has_input) {
      if (ctx.input(2).rank() != 0)
        return InvalidArgument("min_object_covered must be 0-D, got shape {}", ctx.input(2).shape());
      covered = ctx.input(2).data<float>()[0];
    }
    if (!(covered >= 0)) return InvalidArgument("min_object_covered must not be negative, but is {}", covered);
    WEIR_ASSIGN(const PixelBox image, ImageOf<T>(ctx.input(0)));
    WEIR_ASSIGN(const std::vector<PixelBox> objects,
                ObjectsIn(ctx.input(1), image.bottom, image.right, wanted.whole_without_boxes));
    SingleSamples random(generator->Reserve(static_cast<uint64_t>(wanted.attempts)));
    const float spread = wanted.ratios[1] - wanted.ratios[0];
    for (int64_t i = 0; i < wanted.attempts; ++i) {
      if (i % 1024 == 1023 && ctx.cancel().cancelled()) return ctx.cancel().reason();
      const float ratio = UnitFloat(random()) * spread + wanted.ratios[0];
      const std::optional<PixelBox> crop = DrawCrop(random, image.bottom, image.right, ratio, wanted);
      if (crop.has_value() && ShowsAnObject(*crop, objects, covered)) return SetBox<T>(ctx, *crop, image);
    }
    return SetBox<T>(ctx, image, image);
  });
}
template <class T>
Result<Kernel> MakeSample(KernelSetup& setup) {
  return MakeSampleBox<T, false>(setup);
}
template <class T>
Result<Kernel> MakeSampleV2(KernelSetup& setup) {
  return MakeSampleBox<T, true>(setup);
}

Status SampledShape(ShapeContext& c) {
  WEIR_ASSIGN(const PartialShape size, c.WithRank(0, 1));
  WEIR_TRY(MergeDims(size[0], 3).status());
  WEIR_ASSIGN(const PartialShape boxes, c.WithRank(1, 3));
  WEIR_TRY(MergeDims(boxes[2], 4).status());
  if (c.num_inputs() > 2) WEIR_TRY(c.WithRank(2, 0).status());
  c.set_output(0, PartialShape({3}));
  c.set_output(1, PartialShape({3}));
  c.set_output(2, PartialShape({1, 1, 4}));
  return OkStatus();
}

}  // namespace

void RegisterSampleBox(OpRegistry& registry) {
  const std::vector<std::string> attrs = {"T: {uint8, int8, int16, int32, int64}",
                                          "seed: int = 0",
                                          "seed2: int = 0",
                                          "aspect_ratio_range: list(float) = [0.75, 1.33]",
                                          "area_range: list(float) = [0.05, 1.0]",
                                          "max_attempts: int = 100",
                                          "use_image_if_no_bounding_boxes: bool = false"};
  std::vector<std::string> with_covered = attrs;
  with_covered.insert(with_covered.begin() + 3, "min_object_covered: float = 0.1");
  registry.Add({
      .name = "SampleDistortedBoundingBox",
      .signature = "image_size: T, bounding_boxes: float -> begin: T, size: T, bboxes: float",
      .attrs = with_covered,
      .shape = SampledShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernels<uint8_t, int8_t, int16_t, int32_t, int64_t>(WEIR_FOR_TYPE(MakeSample)),
      .traits = kComputesOnly,
      .stateful = true,
  });
  registry.Add({
      .name = "SampleDistortedBoundingBoxV2",
      .signature =
          "image_size: T, bounding_boxes: float, min_object_covered: float -> begin: T, size: T, bboxes: float",
      .attrs = attrs,
      .shape = SampledShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernels<uint8_t, int8_t, int16_t, int32_t, int64_t>(WEIR_FOR_TYPE(MakeSampleV2)),
      .traits = kComputesOnly,
      .stateful = true,
  });
}

}  // namespace weir::ops

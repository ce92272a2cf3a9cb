#include <cmath>
#include <optional>

#include "graph/build/array_ops.h"
#include "graph/build/image_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/compose/array.h"
#include "graph/compose/dims.h"
#include "graph/compose/flow.h"
#include "graph/compose/image.h"
#include "graph/compose/image_files.h"
#include "graph/compose/math.h"
#include "graph/compose/names.h"

namespace weir {
namespace {

bool IsHalfOrFloat(DType dtype) { return dtype == kHalf || dtype == kFloat; }

// Applies `adjust` to the image as float (half if half_stays), and converts back to its type.
template <class F>
Output AsFloats(Graph& graph, const Input& image, bool saturate, bool half_stays, F&& adjust) {
  Output x = ValueOf(graph, image, kInvalidType, "image");
  if (!x.valid()) return x;
  const DType original = x.base_dtype();
  const bool stays = original == kFloat || (half_stays && IsHalfOrFloat(original));
  Output y = adjust(stays ? x : ConvertImageType(graph, x, kFloat));
  return y.valid() ? ConvertImageType(graph, y, original, saturate) : y;
}

Output RandomBetween(Graph& graph, double lower, double upper, OpSeed seed) {
  return RandomUniform(graph, Tensor::Vector<int32_t>({}), lower, upper, kFloat, seed);
}

// The columns are the new channels.
constexpr float kRgbToYuv[] = {0.299f,       -0.14714119f, 0.61497539f, 0.587f,      -0.28886917f,
                               -0.51496512f, 0.114f,       0.43601036f, -0.10001026f};
constexpr float kYuvToRgb[] = {1, 1, 1, 0, -0.39464232f, 2.03206182f, 1.13988304f, -0.58062184f, 0};
constexpr float kRgbToYiq[] = {0.299f,       0.5959006f, 0.2115f,      0.587f,     -0.27455667f,
                               -0.52273619f, 0.114f,     -0.32134393f, 0.31119955f};
constexpr float kYiqToRgb[] = {1,          1, 1, 0.95598632f, -0.27201283f, -1.10674024f, 0.62082481f, -0.64720422f,
                               1.70423055f};

}  // namespace

Output AdjustBrightness(Graph& graph, const Input& image, const Input& delta_in) {
  NameScope scope(graph, "adjust_brightness");
  return AsFloats(graph, image, /*saturate=*/true, /*half_stays=*/true, [&](Output x) -> Output {
    if (!x.valid()) return x;
    const Output delta = CastValue(graph, delta_in, x.base_dtype());
    return delta.valid() ? Add(graph, x, delta, {.name = ExactScopeName(scope)}) : delta;
  });
}

Output AdjustContrast(Graph& graph, const Input& images, const Input& factor) {
  NameScope scope(graph, "adjust_contrast");
  return AsFloats(graph, images, true, true, [&](Output x) {
    return AdjustContrastv2(graph, x, ValueOf(graph, factor, kFloat, "contrast_factor"),
                            {.name = ExactScopeName(scope)});
  });
}

Output AdjustHueOf(Graph& graph, const Input& image, const Input& delta, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "adjust_hue"));
  return AsFloats(graph, image, false, true, [&](Output x) { return AdjustHue(graph, x, delta); });
}

Output AdjustSaturationOf(Graph& graph, const Input& image, const Input& factor, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "adjust_saturation"));
  return AsFloats(graph, image, false, true, [&](Output x) { return AdjustSaturation(graph, x, factor); });
}

Output AdjustGamma(Graph& graph, const Input& image, const Input& gamma, const Input& gain) {
  NameScope scope(graph, "adjust_gamma");
  if (gamma.literal() != nullptr) {
    const std::optional<Tensor> number = gamma.literal()->Value(kFloat);
    if (number && number->num_elements() == 1 && number->scalar<float>() < 0)
      return FailedOutput(graph, InvalidArgument("Gamma should be a non-negative real number."));
  }
  return AsFloats(graph, image, true, true,
                  [&](Output x) { return MulInput(gain, Pow(graph, x, gamma, {.name = "pow"})); });
}

Output RandomBrightness(Graph& graph, const Input& image, double max_delta, OpSeed seed) {
  if (max_delta < 0) return FailedOutput(graph, InvalidArgument("max_delta must be non-negative."));
  return AdjustBrightness(graph, image, RandomBetween(graph, -max_delta, max_delta, seed));
}

Output RandomContrast(Graph& graph, const Input& image, double lower, double upper, OpSeed seed) {
  if (upper <= lower) return FailedOutput(graph, InvalidArgument("upper must be > lower."));
  if (lower < 0) return FailedOutput(graph, InvalidArgument("lower must be non-negative."));
  return AdjustContrast(graph, image, RandomBetween(graph, lower, upper, seed));
}

Output RandomHue(Graph& graph, const Input& image, double max_delta, OpSeed seed) {
  if (max_delta > 0.5) return FailedOutput(graph, InvalidArgument("max_delta must be <= 0.5."));
  if (max_delta < 0) return FailedOutput(graph, InvalidArgument("max_delta must be non-negative."));
  return AdjustHueOf(graph, image, RandomBetween(graph, -max_delta, max_delta, seed));
}

Output RandomSaturation(Graph& graph, const Input& image, double lower, double upper, OpSeed seed) {
  if (upper <= lower) return FailedOutput(graph, InvalidArgument("upper must be > lower."));
  if (lower < 0) return FailedOutput(graph, InvalidArgument("lower must be non-negative."));
  return AdjustSaturationOf(graph, image, RandomBetween(graph, lower, upper, seed));
}

Output RgbToGrayscale(Graph& graph, const Input& images_in, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "rgb_to_grayscale"));
  Output images = ValueOf(graph, images_in, kInvalidType, "images");
  if (!images.valid()) return images;
  const DType original = images.base_dtype();
  Output x = ConvertImageType(graph, images, kFloat);
  if (!x.valid()) return x;
  if (x.shape().rank() == 0)
    return FailedOutput(graph, InvalidArgument("images (shape {}) must have a rank of at least 1", x.shape()));
  Output gray = TensorDot(graph, x, Tensor::Vector<float>({0.2989f, 0.5870f, 0.1140f}), std::vector<int64_t>{-1},
                          std::vector<int64_t>{0});
  if (!gray.valid()) return gray;
  return ConvertImageType(graph, ExpandDims(graph, gray, -1), original, false, ExactScopeName(scope));
}

Output GrayscaleToRgb(Graph& graph, const Input& images_in, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "grayscale_to_rgb"));
  Output images = ValueOf(graph, images_in, kInvalidType, "images");
  if (!images.valid()) return images;
  const PartialShape shape = images.shape();
  if (shape.known_rank() && (shape.rank() < 1 || (shape[shape.rank() - 1] >= 0 && shape[shape.rank() - 1] != 1)))
    return FailedOutput(graph, InvalidArgument("Last dimension of a grayscale image should be size 1, not {}", shape));
  Output x = WithDependencies({}, images);
  if (!shape.known_rank()) {
    Output ones = Fill(graph, ExpandDims(graph, Rank(graph, x) - 1, 0), 1);
    return Tile(graph, x, ConcatV2(graph, {ones, Tensor::Vector<int32_t>({3})}, 0), {.name = ExactScopeName(scope)});
  }
  std::vector<int64_t> times(static_cast<size_t>(shape.rank()), 1);
  times.back() = 3;
  return Tile(graph, x, times, {.name = ExactScopeName(scope)});
}

Output ConvertColorSpace(Graph& graph, const Input& images_in, ColorConversion change) {
  Output images = ValueOf(graph, images_in, kInvalidType, "images");
  if (!images.valid()) return images;
  const PartialShape shape = images.shape();
  const Status no_rank = InvalidArgument("images (shape {}) must have a known rank of at least 1", shape);
  if (!shape.known_rank()) return FailedOutput(graph, MarkTypeError(no_rank));
  if (shape.rank() < 1) return FailedOutput(graph, no_rank);
  const float* kernel = change == ColorConversion::kRgbToYuv   ? kRgbToYuv
                        : change == ColorConversion::kYuvToRgb ? kYuvToRgb
                        : change == ColorConversion::kRgbToYiq ? kRgbToYiq
                                                               : kYiqToRgb;
  const Tensor matrix = Tensor::Of<float>(Shape{3, 3}, absl::Span<const float>(kernel, 9));
  Output weights = CastValue(graph, Constant(graph, matrix, "kernel"), images.base_dtype());
  return TensorDot(graph, images, weights, std::vector<int64_t>{shape.rank() - 1}, std::vector<int64_t>{0});
}

Output StandardizeImage(Graph& graph, const Input& image_in) {
  NameScope scope(graph, "per_image_standardization");
  Output image = ValueOf(graph, image_in, kInvalidType, "image");
  if (!image.valid()) return image;
  const PartialShape shape = image.shape();
  if (shape.known_rank() && shape.rank() < 3)
    return FailedOutput(graph, InvalidArgument("'image' (shape {}) must be at least three-dimensional.", shape));
  Output x =
      CastValue(graph, WithDependencies({}, image), IsHalfOrFloat(image.base_dtype()) ? image.base_dtype() : kFloat);
  if (!x.valid()) return x;
  Output sizes = StridedSlice(ShapeValue(graph, x), {-3}, {0}, {1}, {.end_mask = 1});
  Output count = Prod(graph, sizes, {0});
  Output mean = Mean(graph, x, {-1, -2, -3}, {.keep_dims = true});
  Output deviation = ReduceStd(graph, x, {-1, -2, -3}, /*keep_dims=*/true);
  Output least = Rsqrt(graph, Cast(graph, count, x.base_dtype()));
  Output divisor = Maximum(graph, deviation, least);
  return RealDiv(graph, x - mean, divisor, {.name = ExactScopeName(scope)});
}

Output TotalVariation(Graph& graph, const Input& images_in, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "total_variation"));
  Output images = ValueOf(graph, images_in, kInvalidType, "images");
  if (!images.valid()) return images;
  const int rank = images.shape().rank();
  if (rank != 3 && rank != 4)
    return FailedOutput(graph, InvalidArgument("'images' must be either 3 or 4-dimensional, not {}", images.shape()));
  const int first = rank - 3;
  const auto differences = [&](int axis) {
    std::vector<int64_t> zeros(static_cast<size_t>(rank), 0), ones(static_cast<size_t>(rank), 1), from = zeros,
                                                                                                  to = zeros;
    from[static_cast<size_t>(axis)] = 1;
    to[static_cast<size_t>(axis)] = -1;
    const int64_t all = (1 << rank) - 1, others = all & ~(1 << axis);
    Output later = StridedSlice(images, from, zeros, ones, {.begin_mask = others, .end_mask = all});
    Output earlier = StridedSlice(images, zeros, to, ones, {.begin_mask = all, .end_mask = others});
    return Sub(graph, later, earlier, {.name = "sub"});
  };
  Output down = differences(first), across = differences(first + 1);
  if (!down.valid() || !across.valid()) return Output::Failed(graph);
  const std::vector<int64_t> axes = rank == 3 ? std::vector<int64_t>{0, 1, 2} : std::vector<int64_t>{1, 2, 3};
  Output sum = Sum(graph, Abs(graph, down), axes);
  return sum + Sum(graph, Abs(graph, across), axes);
}

Output AdjustJpegQuality(Graph& graph, const Input& image, const Input& quality, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "adjust_jpeg_quality"));
  const Output x = ValueOf(graph, image, kInvalidType, "image");
  if (!x.valid()) return x;
  const int64_t channels =
      x.shape().known_rank() && x.shape().rank() > 0 ? x.shape()[x.shape().rank() - 1] : kUnknownDim;
  const Output bytes = ConvertImageType(graph, x, kUint8, /*saturate=*/true);
  const Output encoded = EncodeJpegVariableQuality(graph, bytes, ValueOf(graph, quality, kInt32, "Const"));
  const Output decoded = DecodeJpeg(graph, encoded, {.channels = channels > 0 ? channels : 0});
  return ConvertImageType(graph, decoded, x.base_dtype(), /*saturate=*/true);
}

Output RandomJpegQuality(Graph& graph, const Input& image, int64_t min_quality, int64_t max_quality, OpSeed seed) {
  if (min_quality < 0 || max_quality < 0 || min_quality > 100 || max_quality > 100)
    return FailedOutput(graph, InvalidArgument("jpeg encoding range must be between 0 and 100."));
  if (min_quality >= max_quality)
    return FailedOutput(graph, InvalidArgument("`min_jpeg_quality` must be less than `max_jpeg_quality`."));
  return AdjustJpegQuality(graph, image,
                           RandomUniform(graph, Tensor::Vector<int32_t>({}), min_quality, max_quality, kInt32, seed));
}

}  // namespace weir

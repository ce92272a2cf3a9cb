// ExtractGlimpse: extracts a window around an offset from each image. Pixels outside of the image are noise within the
// range of the image's values, or zero.
#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/array/int_inputs.h"
#include "ops/math/random_numbers.h"

namespace weir::ops {
namespace {

enum class Noise { kUniform, kGaussian, kZero };

// `ctx` is a ShapeContext or KernelSetup.
template <class Context>
Status CheckUniform(const Context& ctx) {
  WEIR_ASSIGN(const bool uniform, ctx.template Attr<bool>("uniform_noise"));
  WEIR_ASSIGN(const std::string noise, ctx.template Attr<std::string>("noise"));
  if (uniform && !noise.empty() && noise != "uniform")
    return InvalidArgument("The uniform_noise should not be True when noise is not uniform, but '{}'", noise);
  return OkStatus();
}

Result<Noise> NoiseOf(const KernelSetup& setup) {
  WEIR_TRY(CheckUniform(setup));
  WEIR_ASSIGN(const bool uniform, setup.Attr<bool>("uniform_noise"));
  WEIR_ASSIGN(const std::string noise, setup.Attr<std::string>("noise"));
  if (noise.empty()) return uniform ? Noise::kUniform : Noise::kGaussian;
  if (noise == "uniform") return Noise::kUniform;
  if (noise == "gaussian") return Noise::kGaussian;
  if (noise == "zero") return Noise::kZero;
  return InvalidArgument("The noise could only be uniform, gaussian, or zero, not '{}'", noise);
}

// Images and glimpses are [height, width, channels].
struct Image {
  float* values;
  int64_t height, width, channels;
  int64_t size() const { return height * width * channels; }
};

void FillUniform(const Image& image, const Image& glimpse, SingleSamples& random) {
  const auto [low, high] = std::minmax_element(image.values, image.values + image.size());
  const float from = *low, range = *high - *low;
  std::generate_n(glimpse.values, glimpse.size(), [&] { return from + UnitFloat(random()) * range; });
}

// Gaussian noise with the mean and deviation of each channel, clamped to the range of the image.
void FillGaussian(const Image& image, const Image& glimpse, SingleSamples& random) {
  const auto [low, high] = std::minmax_element(image.values, image.values + image.size());
  const auto pixels = static_cast<double>(image.height * image.width);
  for (int64_t c = 0; c < image.channels; ++c) {
    double sum = 0, squares = 0;
    for (int64_t i = c; i < image.size(); i += image.channels) sum += image.values[i];
    const double mean = sum / pixels;
    for (int64_t i = c; i < image.size(); i += image.channels)
      squares += (image.values[i] - mean) * (image.values[i] - mean);
    const auto center = static_cast<float>(mean), deviation = static_cast<float>(std::sqrt(squares / pixels));
    for (int64_t i = c; i < glimpse.size(); i += image.channels) {
      const uint32_t first = random(), second = random();
      const float value = center + NormalFloats(first, second)[0] * deviation;
      glimpse.values[i] = std::min(std::max(value, *low), *high);
    }
  }
}

// Returns the first row or column of a window of `size` around an offset.
int64_t FirstOf(float offset, int64_t image_size, int64_t size, bool centered, bool normalized) {
  const auto whole = static_cast<float>(image_size);
  float at = normalized ? offset * whole : offset;
  if (centered) at = at / 2 + whole / 2;
  at -= static_cast<float>(size) / 2;
  constexpr float kFar = 1e15f;  // outside of any image, and fits into an int64
  if (!(std::abs(at) < kFar)) return static_cast<int64_t>(at < 0 ? -kFar : kFar);
  return static_cast<int64_t>(at);
}

void Extract(const Image& image, const Image& glimpse, int64_t top, int64_t left, Noise noise, SingleSamples& random) {
  const bool inside =
      top >= 0 && left >= 0 && top + glimpse.height <= image.height && left + glimpse.width <= image.width;
  if (!inside) {
    if (noise == Noise::kZero || image.size() == 0)
      std::fill_n(glimpse.values, glimpse.size(), 0.0f);
    else if (noise == Noise::kUniform)
      FillUniform(image, glimpse, random);
    else
      FillGaussian(image, glimpse, random);
  }
  const int64_t first_row = std::max<int64_t>(top, 0), end_row = std::min(top + glimpse.height, image.height);
  const int64_t first_col = std::max<int64_t>(left, 0), end_col = std::min(left + glimpse.width, image.width);
  if (first_col >= end_col) return;
  for (int64_t row = first_row; row < end_row; ++row)
    std::copy_n(image.values + (row * image.width + first_col) * image.channels, (end_col - first_col) * image.channels,
                glimpse.values + ((row - top) * glimpse.width + first_col - left) * image.channels);
}

Result<Kernel> MakeExtractGlimpse(KernelSetup& setup) {
  WEIR_ASSIGN(const bool centered, setup.Attr<bool>("centered"));
  WEIR_ASSIGN(const bool normalized, setup.Attr<bool>("normalized"));
  WEIR_ASSIGN(const Noise noise, NoiseOf(setup));
  return Kernel::Sync([centered, normalized, noise](KernelContext& ctx) -> Status {
    const Tensor &images = ctx.input(0), &offsets = ctx.input(2);
    if (images.rank() != 4) return InvalidArgument("input must be 4-dimensional, got shape {}", images.shape());
    WEIR_ASSIGN(const Ints size, VectorInts(ctx.input(1), "size"));
    if (size.size() != 2) return InvalidArgument("size must have 2 elements, got {}", size.size());
    if (offsets.rank() != 2 || offsets.dim(0) != images.dim(0) || offsets.dim(1) != 2)
      return InvalidArgument("offsets must be [{}, 2], one for each image, got shape {}", images.dim(0),
                             offsets.shape());
    WEIR_ASSIGN(const Shape shape, Shape::Make({images.dim(0), size[0], size[1], images.dim(3)}));
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, shape));
    if (out.num_elements() == 0) return OkStatus();
    const uint64_t seed = noise == Noise::kZero ? 0 : RealRng().Next64();
    Image image{images.data<float>(), images.dim(1), images.dim(2), images.dim(3)};
    Image glimpse{out.data<float>(), size[0], size[1], images.dim(3)};
    SingleSamples random{Philox(seed)};
    for (int64_t i = 0; i < images.dim(0); ++i) {
      const float* offset = offsets.data<float>() + 2 * i;
      Extract(image, glimpse, FirstOf(offset[0], image.height, glimpse.height, centered, normalized),
              FirstOf(offset[1], image.width, glimpse.width, centered, normalized), noise, random);
      image.values += image.size();
      glimpse.values += glimpse.size();
    }
    return OkStatus();
  });
}

Status GlimpseShape(ShapeContext& ctx) {
  WEIR_TRY(CheckUniform(ctx));
  WEIR_ASSIGN(const PartialShape images, ctx.WithRank(0, 4));
  WEIR_ASSIGN(const PartialShape size, ctx.WithRank(1, 1));
  WEIR_TRY(MergeDims(size[0], 2).status());
  WEIR_ASSIGN(const PartialShape offsets, ctx.WithRank(2, 2));
  WEIR_TRY(MergeDims(offsets[1], 2).status());
  WEIR_ASSIGN(const int64_t batch, MergeDims(images[0], offsets[0]));
  const std::optional<Ints> wanted = ConstantInts(ctx, 1);
  // As in other shapes, -1 is unknown; the kernel refuses it.
  const int64_t height = wanted ? (*wanted)[0] : kUnknownDim;
  const int64_t width = wanted ? (*wanted)[1] : kUnknownDim;
  WEIR_ASSIGN(PartialShape out, PartialShape::Make({batch, height, width, images[3]}));
  ctx.set_output(0, std::move(out));
  return OkStatus();
}

}  // namespace

void RegisterExtractGlimpse(OpRegistry& registry) {
  registry.Add({
      .name = "ExtractGlimpse",
      .signature = "input: float, size: int32, offsets: float -> glimpse: float",
      .attrs = {"centered: bool = true", "normalized: bool = true", "uniform_noise: bool = true",
                "noise: string = 'uniform'"},
      .shape = GlimpseShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeExtractGlimpse),
  });
}

}  // namespace weir::ops

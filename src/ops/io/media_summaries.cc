// Image and audio summaries: images as PNG, audio as WAV. A batch gives one value per image or clip, up to a limit. The
// tags are "tag/image" and "tag/audio", followed by a number if the limit is above one.
#include <algorithm>
#include <cmath>

#include "io/image.h"
#include "io/wav.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/string/map_strings.h"
#include "proto/summary.pb.h"

namespace weir::ops {
namespace {

using tensorflow::Summary;

std::string ValueTag(const std::string& tag, const char* kind, int64_t limit, int64_t i) {
  return limit > 1 ? fmt::format("{}/{}/{}", tag, kind, i) : fmt::format("{}/{}", tag, kind);
}

Status SetMediaSummary(KernelContext& ctx, const Summary& summary) {
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, Shape{}));
  out.scalar<std::string>() = summary.SerializeAsString();
  return OkStatus();
}

template <class T>
bool AllFinite(const T* pixel, int64_t channels) {
  return std::all_of(pixel, pixel + channels, [](T x) { return std::isfinite(static_cast<double>(x)); });
}

// Scales [0, max] to [0, 255]. If any value is negative, zero maps to 128 and the largest magnitude to 128 +- 127.
// Pixels that are not finite get the bad color.
template <class T>
void ScalePixels(const T* from, int64_t pixels, int64_t channels, const std::vector<uint8_t>& bad_color, uint8_t* to) {
  using Compute = std::conditional_t<std::is_same_v<T, double>, double, float>;
  constexpr float kZero = 1e-6f;
  float min = std::numeric_limits<float>::infinity();
  float max = -min;
  for (int64_t i = 0; i < pixels; ++i) {
    const T* pixel = from + i * channels;
    if (!AllFinite(pixel, channels)) continue;
    for (int64_t c = 0; c < channels; ++c) {
      min = std::min(min, static_cast<float>(pixel[c]));
      max = std::max(max, static_cast<float>(pixel[c]));
    }
  }
  const float magnitude = min < 0 ? std::max(std::abs(min), std::abs(max)) : max;
  const float scale = magnitude < kZero ? 0 : (min < 0 ? 127.0f : 255.0f) / magnitude;
  const T factor = static_cast<T>(scale);
  const T offset = static_cast<T>(min < 0 ? 128.0f : 0.0f);
  for (int64_t i = 0; i < pixels; ++i) {
    const T* pixel = from + i * channels;
    const bool finite = AllFinite(pixel, channels);
    for (int64_t c = 0; c < channels; ++c) {
      const auto scaled = static_cast<T>(static_cast<T>(static_cast<Compute>(pixel[c]) * static_cast<Compute>(factor)));
      const Compute moved =
          static_cast<Compute>(static_cast<T>(static_cast<Compute>(scaled) + static_cast<Compute>(offset)));
      to[i * channels + c] = finite ? static_cast<uint8_t>(std::clamp<Compute>(moved, 0, 255)) : bad_color[c];
    }
  }
}

struct ImageOptions {
  int64_t max_images = 3;
  std::vector<uint8_t> bad_color;
};

Result<ImageOptions> ImageOptionsOf(KernelSetup& setup) {
  ImageOptions options;
  WEIR_ASSIGN(options.max_images, setup.Attr<int64_t>("max_images"));
  WEIR_ASSIGN(const Tensor bad_color, setup.Attr<Tensor>("bad_color"));
  if (bad_color.dtype() != kUint8) return InvalidArgument("bad_color must be uint8, got {}", bad_color.dtype());
  if (bad_color.rank() != 1) return InvalidArgument("bad_color must be a vector, got shape {}", bad_color.shape());
  const absl::Span<uint8_t> bytes = bad_color.flat<uint8_t>();
  options.bad_color.assign(bytes.begin(), bytes.end());
  return options;
}

template <class T>
Status SummarizeImages(KernelContext& ctx, const ImageOptions& options) {
  WEIR_ASSIGN(const std::string tag, ScalarString(ctx, 0, "tag"));
  const Tensor& images = ctx.input(1);
  const Shape shape = images.shape();
  if (shape.rank() != 4 || (shape[3] != 1 && shape[3] != 3 && shape[3] != 4))
    return InvalidArgument("Tensor must be 4-D with last dim 1, 3, or 4, not {} (tag '{}')", shape, tag);
  const int64_t height = shape[1], width = shape[2], channels = shape[3];
  if (static_cast<int64_t>(options.bad_color.size()) < channels)
    return InvalidArgument("expected depth <= bad_color.size, got depth = {}, bad_color.size = {}", channels,
                           options.bad_color.size());
  Summary summary;
  if (shape[0] == 0) return SetMediaSummary(ctx, summary);
  const int64_t pixels = height * width;
  std::vector<uint8_t> scaled;
  for (int64_t i = 0; i < std::min(shape[0], options.max_images); ++i) {
    const T* from = images.data<T>() + i * pixels * channels;
    io::ImageView view{height, width, channels, {}};
    if constexpr (std::is_same_v<T, uint8_t>) {
      view.pixels = absl::Span<const uint8_t>(from, static_cast<size_t>(pixels * channels));
    } else {
      scaled.resize(static_cast<size_t>(pixels * channels));
      ScalePixels(from, pixels, channels, options.bad_color, scaled.data());
      view.pixels = scaled;
    }
    Result<std::string> png = io::EncodePng(view);
    if (!png.ok()) return WithContext(png.status(), fmt::format("tag '{}'", tag));
    Summary::Value& value = *summary.add_value();
    value.set_tag(ValueTag(tag, "image", options.max_images, i));
    value.mutable_image()->set_height(static_cast<int32_t>(height));
    value.mutable_image()->set_width(static_cast<int32_t>(width));
    value.mutable_image()->set_colorspace(static_cast<int32_t>(channels));
    value.mutable_image()->set_encoded_image_string(*std::move(png));
  }
  return SetMediaSummary(ctx, summary);
}

template <class T>
Result<Kernel> MakeImageSummary(KernelSetup& setup) {
  WEIR_ASSIGN(const ImageOptions options, ImageOptionsOf(setup));
  return Kernel::Sync([options](KernelContext& ctx) { return SummarizeImages<T>(ctx, options); });
}

Status SummarizeAudio(KernelContext& ctx, float sample_rate, int64_t max_outputs) {
  WEIR_ASSIGN(const std::string tag, ScalarString(ctx, 0, "tag"));
  const Tensor& clips = ctx.input(1);
  const Shape shape = clips.shape();
  if (shape.rank() != 2 && shape.rank() != 3)
    return InvalidArgument("Tensor must be 3-D or 2-D, got: {} (tag '{}')", shape, tag);
  if (!(sample_rate > 0)) return InvalidArgument("sample_rate must be > 0, got {} (tag '{}')", sample_rate, tag);
  const int64_t frames = shape[1];
  const int64_t channels = shape.rank() == 3 ? shape[2] : 1;
  Summary summary;
  for (int64_t i = 0; i < std::min(shape[0], max_outputs); ++i) {
    const absl::Span<const float> clip =
        clips.flat<float>().subspan(static_cast<size_t>(i * frames * channels), static_cast<size_t>(frames * channels));
    Result<std::string> wav = io::EncodeWav(clip, channels, std::llround(std::min(sample_rate, 1e15f)));
    if (!wav.ok()) return WithContext(wav.status(), fmt::format("tag '{}'", tag));
    Summary::Value& value = *summary.add_value();
    value.set_tag(ValueTag(tag, "audio", max_outputs, i));
    value.mutable_audio()->set_sample_rate(sample_rate);
    value.mutable_audio()->set_num_channels(channels);
    value.mutable_audio()->set_length_frames(frames);
    value.mutable_audio()->set_content_type("audio/wav");
    value.mutable_audio()->set_encoded_audio_string(*std::move(wav));
  }
  return SetMediaSummary(ctx, summary);
}

Result<Kernel> MakeAudioSummary(KernelSetup& setup) {
  WEIR_ASSIGN(const float sample_rate, setup.Attr<float>("sample_rate"));
  WEIR_ASSIGN(const int64_t max_outputs, setup.Attr<int64_t>("max_outputs"));
  return Kernel::Sync(
      [sample_rate, max_outputs](KernelContext& ctx) { return SummarizeAudio(ctx, sample_rate, max_outputs); });
}

Result<Kernel> MakeAudioSummaryV2(KernelSetup& setup) {
  WEIR_ASSIGN(const int64_t max_outputs, setup.Attr<int64_t>("max_outputs"));
  return Kernel::Sync([max_outputs](KernelContext& ctx) -> Status {
    const Tensor& sample_rate = ctx.input(2);
    if (sample_rate.num_elements() != 1)  // TensorFlow takes any single element
      return InvalidArgument("sample_rate must be a scalar, but received shape {}", sample_rate.shape());
    return SummarizeAudio(ctx, sample_rate.data<float>()[0], max_outputs);
  });
}

Status ScalarSummaryOut(ShapeContext& ctx) {
  ctx.set_output(0, PartialShape::Scalar());
  return OkStatus();
}

}  // namespace

void RegisterMediaSummaries(OpRegistry& registry) {
  registry.Add({
      .name = "ImageSummary",
      .signature = "tag: string, tensor: T -> summary: string",
      .attrs = {"max_images: int >= 1 = 3", "T: {uint8, float, half, double} = DT_FLOAT",
                "bad_color: tensor = uint8[255, 0, 0, 255]"},
      .shape = ScalarSummaryOut,
      .no_gradient = kNoGradient,
      .kernels = CpuKernels<uint8_t, float, half, double>(WEIR_FOR_TYPE(MakeImageSummary)),
  });
  registry.Add({
      .name = "AudioSummaryV2",
      .signature = "tag: string, tensor: float, sample_rate: float -> summary: string",
      .attrs = {"max_outputs: int >= 1 = 3"},
      .shape = ScalarSummaryOut,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeAudioSummaryV2),
  });
  registry.Add({
      .name = "AudioSummary",
      .signature = "tag: string, tensor: float -> summary: string",
      .attrs = {"sample_rate: float", "max_outputs: int >= 1 = 3"},
      .shape = ScalarSummaryOut,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeAudioSummary),
  });
}

}  // namespace weir::ops

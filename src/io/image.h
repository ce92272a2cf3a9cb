// Decoding and encoding of image files: PNG, JPEG, GIF and BMP. Contents are untrusted: sizes are checked against
// limits and against the length of the contents before memory is allocated. An invalid image is InvalidArgument.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "base/status.h"

namespace weir::io {

enum class ImageFormat { kUnknown, kPng, kJpeg, kGif, kBmp };
// Detects the format from the first bytes.
ImageFormat ImageFormatOf(std::string_view contents);

struct ImageSize {
  int64_t frames = 1;
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 0;
};
// No image is decoded to more bytes than this.
constexpr int64_t kMaxImageBytes = int64_t{1} << 30;

// Returns the memory for the pixels. Called once, when the size is known and within the limits. Rows are stored from
// the top, channels interleaved: gray (1 channel), gray and alpha (2), RGB (3), RGBA (4).
using PixelsFn = std::function<Result<void*>(const ImageSize&)>;

struct PngDecodeOptions {
  int64_t channels = 0;  // 1, 3, 4; 0: as in the file
  bool wide = false;     // 16 bits per channel in native byte order, else 8
};
Status DecodePng(std::string_view contents, const PngDecodeOptions& options, const PixelsFn& pixels);

struct CropWindow {
  int64_t y = 0, x = 0, height = 0, width = 0;
};
struct JpegDecodeOptions {
  int64_t channels = 0;  // 1 or 3; 0: as in the file
  int64_t ratio = 1;     // 1, 2, 4, 8: the size is divided by it
  bool fancy_upscaling = true;
  bool accurate = false;               // the accurate integer transform instead of the fast one
  bool try_recover_truncated = false;  // missing data becomes gray instead of an error
  std::optional<CropWindow> crop;
};
Status DecodeJpeg(std::string_view contents, const JpegDecodeOptions& options, const PixelsFn& pixels);
Result<ImageSize> ReadJpegSize(std::string_view contents);

// Decodes every frame to RGB, as it is displayed: pixels that a frame does not cover are those of the frame before.
Status DecodeGif(std::string_view contents, const PixelsFn& pixels);

// channels: 3, 4; 0: as in the file.
Status DecodeBmp(std::string_view contents, int64_t channels, const PixelsFn& pixels);

struct ImageView {
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 0;
  absl::Span<const uint8_t> pixels;  // height * width * channels values, of two bytes each if wide
  bool wide = false;
};
// compression: 0 to 9; -1: zlib's default. InvalidArgument for images that PNG cannot store: no pixels, over 4
// channels.
Result<std::string> EncodePng(const ImageView& image, int64_t compression = -1);

struct JpegEncodeOptions {
  int64_t quality = 95;  // 0 to 100
  bool progressive = false;
  bool optimize_size = false;
  bool chroma_downsampling = true;
  bool per_centimeter = false;  // unit of the densities; false: per inch
  int64_t x_density = 300;
  int64_t y_density = 300;
  std::string xmp_metadata;
};
// The image must have 1 or 3 channels of 8 bits.
Result<std::string> EncodeJpeg(const ImageView& image, const JpegEncodeOptions& options = {});

}  // namespace weir::io

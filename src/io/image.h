// Image files as pixels and back: PNG, JPEG, GIF and BMP. Contents are never trusted: sizes are held against bounds,
// and against what the contents can hold, before memory is asked for; what is wrong with an image is InvalidArgument.
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
// What the first bytes say.
ImageFormat ImageFormatOf(std::string_view contents);

struct ImageSize {
  int64_t frames = 1;
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 0;
};
// No image is decoded to more bytes than this.
constexpr int64_t kMaxImageBytes = int64_t{1} << 30;

// Where the pixels go: called once, when the size is known and within bounds. Rows from the top, the channels of a
// pixel together: gray (1), gray and alpha (2), red, green and blue (3), and alpha (4).
using PixelsFn = std::function<Result<void*>(const ImageSize&)>;

struct PngDecodeOptions {
  int64_t channels = 0;  // 1, 3, 4; 0: as in the file
  bool wide = false;     // 16 bits per channel in the machine's order, else 8
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
  bool try_recover_truncated = false;  // what is missing is gray, instead of an error
  std::optional<CropWindow> crop;
};
Status DecodeJpeg(std::string_view contents, const JpegDecodeOptions& options, const PixelsFn& pixels);
Result<ImageSize> ReadJpegSize(std::string_view contents);

// Every frame as it is seen, red, green and blue: what a frame does not cover is that of the frame before.
Status DecodeGif(std::string_view contents, const PixelsFn& pixels);

// channels: 3, 4; 0: as in the file.
Status DecodeBmp(std::string_view contents, int64_t channels, const PixelsFn& pixels);

struct ImageView {
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 0;
  absl::Span<const uint8_t> pixels;  // height * width * channels, of two bytes each where wide
  bool wide = false;
};
// compression: 0 to 9; -1: zlib's own choice. InvalidArgument for what PNG cannot be: no pixels, over 4 channels.
Result<std::string> EncodePng(const ImageView& image, int64_t compression = -1);

struct JpegEncodeOptions {
  int64_t quality = 95;  // 0 to 100
  bool progressive = false;
  bool optimize_size = false;
  bool chroma_downsampling = true;
  bool per_centimeter = false;  // the densities; else per inch
  int64_t x_density = 300;
  int64_t y_density = 300;
  std::string xmp_metadata;
};
// 1 or 3 channels of 8 bits.
Result<std::string> EncodeJpeg(const ImageView& image, const JpegEncodeOptions& options = {});

}  // namespace weir::io

// BMP: rows of BGR pixels, each row padded to four bytes, from the bottom up unless the height is negative. Supports
// only images without palette and compression; 8 bits per pixel are read as gray.
#include <cstdlib>

#include "io/image.h"

namespace weir::io {
namespace {

constexpr size_t kHeaderEnd = 32;  // end of the header fields that are required
constexpr size_t kCompressionEnd = 34;

int64_t Int32At(std::string_view contents, size_t at) {
  uint32_t v = 0;
  for (size_t i = 4; i-- > 0;) v = v << 8 | static_cast<uint8_t>(contents[at + i]);
  return static_cast<int32_t>(v);
}

void ConvertPixel(const uint8_t* from, int64_t from_channels, uint8_t* to, int64_t to_channels) {
  if (from_channels == 1) {
    for (int64_t c = 0; c < std::min<int64_t>(to_channels, 3); ++c) to[c] = from[0];
  } else {
    to[0] = from[2];
    to[1] = from[1];
    to[2] = from[0];
  }
  if (to_channels == 4) to[3] = from_channels == 4 ? from[3] : 255;
}

}  // namespace

Status DecodeBmp(std::string_view contents, int64_t channels, const PixelsFn& pixels) {
  if (channels != 0 && channels != 3 && channels != 4)
    return InvalidArgument("a BMP image is decoded to 0, 3 or 4 channels, not {}", channels);
  if (contents.size() < kHeaderEnd)
    return InvalidArgument("a BMP image of {} bytes is incomplete: the header takes {}", contents.size(), kHeaderEnd);
  if (!contents.starts_with("BM")) return InvalidArgument("not a BMP image: the contents do not start with 'BM'");
  const int64_t offset = Int32At(contents, 10), width = Int32At(contents, 18), signed_height = Int32At(contents, 22);
  const int64_t bits = Int32At(contents, 28) & 0xffff;
  const int64_t height = std::abs(signed_height);
  const int64_t from_channels = bits / 8;
  if (bits != 8 && bits != 24 && bits != 32)
    return InvalidArgument("a BMP image must have 8, 24 or 32 bits per pixel, not {}", bits);
  if (contents.size() >= kCompressionEnd) {
    const int compression = static_cast<uint8_t>(contents[30]);
    if (compression != 0 && compression != 3)
      return InvalidArgument("a compressed BMP image cannot be decoded (compression {})", compression);
  }
  if (width <= 0) return InvalidArgument("Width must be positive: a BMP image is {} wide", width);
  if (height <= 0) return InvalidArgument("a BMP image is {} high", height);
  if (offset < 0)
    return InvalidArgument("header size must be nonnegative: the pixels of a BMP image begin at {}", offset);
  const int64_t to_channels = channels == 0 ? from_channels : channels;
  if (width > kMaxImageBytes || height > kMaxImageBytes / (width * 4 + 4))
    return InvalidArgument("a BMP image of {} x {} pixels is over the limit of {} bytes", height, width,
                           kMaxImageBytes);
  const int64_t row_size = (width * from_channels + 3) / 4 * 4;
  const int64_t missing = offset + row_size * height - static_cast<int64_t>(contents.size());
  if (missing > 0)
    return InvalidArgument("Input size should match: {} bytes of a BMP image of {} x {} pixels are missing", missing,
                           height, width);
  WEIR_ASSIGN(void* out, pixels({1, height, width, to_channels}));
  auto* to = static_cast<uint8_t*>(out);
  const auto* rows = reinterpret_cast<const uint8_t*>(contents.data()) + offset;
  for (int64_t y = 0; y < height; ++y) {
    const uint8_t* from = rows + (signed_height < 0 ? y : height - 1 - y) * row_size;
    for (int64_t x = 0; x < width; ++x, from += from_channels, to += to_channels)
      ConvertPixel(from, from_channels, to, to_channels);
  }
  return OkStatus();
}

}  // namespace weir::io

#include "io/png.h"

#include <png.h>

#include <csetjmp>
#include <limits>
#include <vector>

namespace weir::io {
namespace {

constexpr int kColorTypes[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                               PNG_COLOR_TYPE_RGB_ALPHA};

void Append(png_structp png, png_bytep data, png_size_t size) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(data), size);
}

void Flush(png_structp) {}

[[noreturn]] void Fail(png_structp png, png_const_charp why) {
  *static_cast<std::string*>(png_get_error_ptr(png)) = why;
  png_longjmp(png, 1);
}

void Ignore(png_structp, png_const_charp) {}

// False when libpng has given up, which `why` tells. Nothing here needs a destructor: libpng leaves by longjmp.
bool Write(png_structp png, png_infop info, const ImageView& image, png_bytepp rows, std::string* to) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_write_fn(png, to, &Append, &Flush);
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height), 8,
               kColorTypes[image.channels], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  png_write_image(png, rows);
  png_write_end(png, nullptr);
  return true;
}

}  // namespace

Result<std::string> EncodePng(const ImageView& image) {
  constexpr int64_t kMaxSide = std::numeric_limits<int32_t>::max();
  if (image.channels < 1 || image.channels > 4)
    return InvalidArgument("a PNG image has 1 to 4 channels, not {}", image.channels);
  if (image.height < 1 || image.width < 1 || image.height > kMaxSide || image.width > kMaxSide / image.channels)
    return InvalidArgument("an image of {} x {} pixels cannot be a PNG image", image.height, image.width);
  const int64_t row_size = image.width * image.channels;
  if (static_cast<int64_t>(image.pixels.size()) / row_size != image.height ||
      static_cast<int64_t>(image.pixels.size()) % row_size != 0)
    return InvalidArgument("{} bytes are no image of {} x {} pixels with {} channels", image.pixels.size(),
                           image.height, image.width, image.channels);
  std::vector<png_bytep> rows(static_cast<size_t>(image.height));
  for (size_t y = 0; y < rows.size(); ++y)  // libpng only reads them
    rows[y] = const_cast<png_bytep>(image.pixels.data()) + y * static_cast<size_t>(row_size);
  std::string why = "no memory";
  std::string to;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &why, &Fail, &Ignore);
  png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
  const bool written = info != nullptr && Write(png, info, image, rows.data(), &to);
  png_destroy_write_struct(&png, &info);
  if (!written) return Internal("an image could not be encoded as PNG: {}", why);
  return to;
}

}  // namespace weir::io

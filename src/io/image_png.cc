// PNG with libpng, which reports errors by longjmp. So functions that call setjmp have no locals with destructors.
#include <png.h>

#include <csetjmp>
#include <cstring>
#include <limits>
#include <vector>

#include "io/image.h"

namespace weir::io {
namespace {

constexpr int kColorTypes[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                               PNG_COLOR_TYPE_RGB_ALPHA};

[[noreturn]] void Fail(png_structp png, png_const_charp why) {
  *static_cast<std::string*>(png_get_error_ptr(png)) = why;
  png_longjmp(png, 1);
}
void Ignore(png_structp, png_const_charp) {}

// --- reading
class PngReader {
 public:
  explicit PngReader(std::string_view contents) : rest_(contents) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &why_, &Fail, &Ignore);
    info_ = png_ == nullptr ? nullptr : png_create_info_struct(png_);
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  // These return false when libpng fails; why() has the reason.
  bool ReadHeader(const PngDecodeOptions& options) {
    if (info_ == nullptr || setjmp(png_jmpbuf(png_)) != 0) return false;
    png_set_read_fn(png_, &rest_, &Take);
    png_read_info(png_, info_);
    data_bytes_ = static_cast<double>(png_get_rowbytes(png_, info_)) * png_get_image_height(png_, info_);
    Transform(options);
    png_read_update_info(png_, info_);
    return true;
  }
  bool ReadRows(png_bytepp rows) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_image(png_, rows);
    png_read_end(png_, info_);
    return true;
  }

  const std::string& why() const { return why_; }
  double data_bytes() const { return data_bytes_; }  // uncompressed size of the pixels in the format of the file
  int64_t height() const { return png_get_image_height(png_, info_); }
  int64_t width() const { return png_get_image_width(png_, info_); }
  int64_t channels() const { return png_get_channels(png_, info_); }
  int64_t row_bytes() const { return static_cast<int64_t>(png_get_rowbytes(png_, info_)); }

 private:
  static void Take(png_structp png, png_bytep to, png_size_t size) {
    auto* rest = static_cast<std::string_view*>(png_get_io_ptr(png));
    if (rest->size() < size) png_error(png, "the data is truncated");
    std::memcpy(to, rest->data(), size);
    rest->remove_prefix(size);
  }

  void Transform(const PngDecodeOptions& options) {
    const int type = png_get_color_type(png_, info_), depth = png_get_bit_depth(png_, info_);
    const bool has_trns = png_get_valid(png_, info_, PNG_INFO_tRNS) != 0;
    const bool palette = type == PNG_COLOR_TYPE_PALETTE;
    const bool color = palette || (type & PNG_COLOR_MASK_COLOR) != 0;
    bool alpha = (type & PNG_COLOR_MASK_ALPHA) != 0;
    if (palette) png_set_palette_to_rgb(png_);
    if (!color && depth < 8) png_set_expand_gray_1_2_4_to_8(png_);
    if (has_trns && (options.channels == 4 || (options.channels == 0 && palette))) {
      png_set_tRNS_to_alpha(png_);
      alpha = true;
    } else if (has_trns && !alpha) {
      png_set_strip_alpha(png_);  // expanding a palette with transparency would add an alpha channel
    }
    if (options.channels == 1 && color) png_set_rgb_to_gray(png_, PNG_ERROR_ACTION_NONE, 0.299, 0.587);
    if (options.channels >= 3 && !color) png_set_gray_to_rgb(png_);
    if (options.channels == 4 && !alpha) png_set_add_alpha(png_, depth == 16 ? 0xffff : 0xff, PNG_FILLER_AFTER);
    if ((options.channels == 1 || options.channels == 3) && alpha) png_set_strip_alpha(png_);
    if (options.wide) {
      if (depth != 16) png_set_expand_16(png_);
      constexpr uint16_t kOne = 1;
      uint8_t first;
      std::memcpy(&first, &kOne, 1);
      if (first == 1) png_set_swap(png_);  // the file is big-endian
    } else if (depth == 16) {
      png_set_strip_16(png_);
    }
    png_set_interlace_handling(png_);
  }

  std::string why_ = "no memory";
  std::string_view rest_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  double data_bytes_ = 0;
};

// --- writing
void Append(png_structp png, png_bytep data, png_size_t size) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(data), size);
}
void Flush(png_structp) {}

bool Write(png_structp png, png_infop info, const ImageView& image, int compression, png_bytepp rows, std::string* to) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_write_fn(png, to, &Append, &Flush);
  if (compression >= 0) png_set_compression_level(png, compression);
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height),
               image.wide ? 16 : 8, kColorTypes[image.channels], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  constexpr uint16_t kOne = 1;
  uint8_t first;
  std::memcpy(&first, &kOne, 1);
  if (image.wide && first == 1) png_set_swap(png);
  png_write_image(png, rows);
  png_write_end(png, nullptr);
  return true;
}

}  // namespace

Status DecodePng(std::string_view contents, const PngDecodeOptions& options, const PixelsFn& pixels) {
  if (options.channels < 0 || options.channels == 2 || options.channels > 4)
    return InvalidArgument("a PNG image is decoded to 0, 1, 3 or 4 channels, not {}", options.channels);
  PngReader reader(contents);
  if (!reader.ReadHeader(options))
    return InvalidArgument("Invalid PNG data, size {}: {}", contents.size(), reader.why());
  const int64_t height = reader.height(), row_bytes = reader.row_bytes();
  if (height <= 0 || row_bytes <= 0 || row_bytes > kMaxImageBytes / height)
    return InvalidArgument("a PNG image of {} x {} pixels is over the limit of {} bytes", height, reader.width(),
                           kMaxImageBytes);
  // A deflated byte expands to at most 1032 bytes.
  if (reader.data_bytes() > 1032.0 * static_cast<double>(contents.size()))
    return InvalidArgument("Invalid PNG data: {} bytes cannot hold {} x {} pixels", contents.size(), height,
                           reader.width());
  WEIR_ASSIGN(void* out, pixels({1, height, reader.width(), reader.channels()}));
  std::vector<png_bytep> rows(static_cast<size_t>(height));
  for (size_t y = 0; y < rows.size(); ++y) rows[y] = static_cast<png_bytep>(out) + y * static_cast<size_t>(row_bytes);
  if (!reader.ReadRows(rows.data()))
    return InvalidArgument("Invalid PNG data, size {}: {}", contents.size(), reader.why());
  return OkStatus();
}

Result<std::string> EncodePng(const ImageView& image, int64_t compression) {
  constexpr int64_t kMaxSide = std::numeric_limits<int32_t>::max();
  if (compression < -1 || compression > 9)
    return InvalidArgument("compression must be between -1 and 9, got {}", compression);
  if (image.channels < 1 || image.channels > 4)
    return InvalidArgument("a PNG image has 1 to 4 channels, not {}", image.channels);
  if (image.height < 1 || image.width < 1 || image.height > kMaxSide || image.width > kMaxSide / image.channels)
    return InvalidArgument("an image of {} x {} pixels cannot be a PNG image", image.height, image.width);
  const int64_t row_size = image.width * image.channels * (image.wide ? 2 : 1);
  if (static_cast<int64_t>(image.pixels.size()) / row_size != image.height ||
      static_cast<int64_t>(image.pixels.size()) % row_size != 0)
    return InvalidArgument("{} bytes do not match an image of {} x {} pixels with {} channels", image.pixels.size(),
                           image.height, image.width, image.channels);
  std::vector<png_bytep> rows(static_cast<size_t>(image.height));
  for (size_t y = 0; y < rows.size(); ++y)  // the const_cast is safe: libpng only reads the rows
    rows[y] = const_cast<png_bytep>(image.pixels.data()) + y * static_cast<size_t>(row_size);
  std::string why = "no memory";
  std::string to;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &why, &Fail, &Ignore);
  png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
  const bool written = info != nullptr && Write(png, info, image, static_cast<int>(compression), rows.data(), &to);
  png_destroy_write_struct(&png, &info);
  if (!written) return Internal("an image could not be encoded as PNG: {}", why);
  return to;
}

}  // namespace weir::io

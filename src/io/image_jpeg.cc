// JPEG with libjpeg, which reports errors by longjmp. So functions that call setjmp have no locals with destructors.
#include <cstddef>
#include <cstdio>
// These must come before libjpeg's header, which does not include the headers that it needs.
#include <jpeglib.h>

#include <jerror.h>

#include <algorithm>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "io/image.h"

namespace weir::io {
namespace {

// Limits the scans of a progressive image: a small file can contain so many that decoding takes minutes.
constexpr int kMaxScans = 500;

struct Errors {
  jpeg_error_mgr base;  // first: libjpeg knows only this
  jmp_buf leave;
  bool truncated = false;
  char why[JMSG_LENGTH_MAX] = "no memory";
};

Errors& ErrorsOf(j_common_ptr jpeg) { return *reinterpret_cast<Errors*>(jpeg->err); }

[[noreturn]] void Fail(j_common_ptr jpeg) {
  Errors& errors = ErrorsOf(jpeg);
  errors.base.format_message(jpeg, errors.why);
  longjmp(errors.leave, 1);
}
void Note(j_common_ptr jpeg, int level) {
  if (level < 0 && jpeg->err->msg_code == JWRN_JPEG_EOF) ErrorsOf(jpeg).truncated = true;
}
void Ignore(j_common_ptr) {}
void LimitScans(j_common_ptr jpeg) {
  const auto* decoder = reinterpret_cast<j_decompress_ptr>(jpeg);
  if (jpeg->is_decompressor && decoder->input_scan_number > kMaxScans) {
    std::snprintf(ErrorsOf(jpeg).why, JMSG_LENGTH_MAX, "more than %d scans", kMaxScans);
    longjmp(ErrorsOf(jpeg).leave, 1);
  }
}

void Prepare(Errors& errors) {
  jpeg_std_error(&errors.base);
  errors.base.error_exit = &Fail;
  errors.base.emit_message = &Note;
  errors.base.output_message = &Ignore;
}

// --- reading
class JpegReader {
 public:
  JpegReader() {
    Prepare(errors_);
    jpeg_.err = &errors_.base;
  }
  ~JpegReader() {
    if (created_) jpeg_destroy_decompress(&jpeg_);
  }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  // These return false when libjpeg fails; why() has the reason.
  bool ReadHeader(std::string_view contents) {
    if (setjmp(errors_.leave) != 0) return false;
    jpeg_create_decompress(&jpeg_);
    created_ = true;
    progress_.progress_monitor = &LimitScans;
    jpeg_.progress = &progress_;
    jpeg_mem_src(&jpeg_, reinterpret_cast<const unsigned char*>(contents.data()), contents.size());
    jpeg_read_header(&jpeg_, TRUE);
    return true;
  }
  bool Start(const JpegDecodeOptions& options, bool gray) {
    if (setjmp(errors_.leave) != 0) return false;
    jpeg_.out_color_space = gray ? JCS_GRAYSCALE : is_cmyk() ? JCS_CMYK : JCS_RGB;
    jpeg_.do_fancy_upsampling = options.fancy_upscaling ? TRUE : FALSE;
    jpeg_.scale_num = 1;
    jpeg_.scale_denom = static_cast<unsigned>(options.ratio);
    jpeg_.dct_method = options.accurate ? JDCT_ISLOW : JDCT_IFAST;
    jpeg_calc_output_dimensions(&jpeg_);
    return true;
  }
  bool StartRows() {
    if (setjmp(errors_.leave) != 0) return false;
    jpeg_start_decompress(&jpeg_);
    return true;
  }
  bool ReadRow(uint8_t* to) {
    if (setjmp(errors_.leave) != 0) return false;
    return jpeg_read_scanlines(&jpeg_, &to, 1) == 1;
  }

  const char* why() const { return errors_.why; }
  bool truncated() const { return errors_.truncated; }
  bool is_cmyk() const { return jpeg_.jpeg_color_space == JCS_CMYK || jpeg_.jpeg_color_space == JCS_YCCK; }
  // Adobe programs store inverted CMYK values.
  bool is_inverted() const { return jpeg_.saw_Adobe_marker != 0; }
  const jpeg_decompress_struct& jpeg() const { return jpeg_; }

 private:
  jpeg_decompress_struct jpeg_ = {};
  jpeg_progress_mgr progress_ = {};
  Errors errors_ = {};
  bool created_ = false;
};

Status Invalid(std::string_view contents, const char* why) {
  return InvalidArgument("Invalid JPEG data or crop window, data size {}: {}", contents.size(), why);
}

void CmykToRgb(const uint8_t* from, int64_t pixels, bool inverted, uint8_t* to) {
  for (int64_t i = 0; i < pixels; ++i, from += 4, to += 3) {
    const int k = inverted ? from[3] : 255 - from[3];
    for (int c = 0; c < 3; ++c) to[c] = static_cast<uint8_t>(k * (inverted ? from[c] : 255 - from[c]) / 255);
  }
}

Status CheckOptions(const JpegDecodeOptions& options) {
  if (options.channels != 0 && options.channels != 1 && options.channels != 3)
    return InvalidArgument("a JPEG image is decoded to 0, 1 or 3 channels, not {}", options.channels);
  if (options.ratio != 1 && options.ratio != 2 && options.ratio != 4 && options.ratio != 8)
    return InvalidArgument("ratio must be 1, 2, 4, or 8, got {}", options.ratio);
  return OkStatus();
}

Result<CropWindow> Window(const JpegDecodeOptions& options, int64_t height, int64_t width) {
  if (!options.crop) return CropWindow{0, 0, height, width};
  const CropWindow& w = *options.crop;
  if (w.height <= 0 || w.width <= 0 || w.y < 0 || w.x < 0 || w.y > height - w.height || w.x > width - w.width)
    return InvalidArgument("Invalid JPEG data or crop window: [{}, {}, {}, {}] of an image of {} x {} pixels", w.y, w.x,
                           w.height, w.width, height, width);
  return w;
}

// Whether the contents are long enough for the image: a Huffman code takes at least one bit per block of 8 x 8 pixels.
bool CanHold(std::string_view contents, const jpeg_decompress_struct& jpeg) {
  return jpeg.arith_code || static_cast<int64_t>(jpeg.image_width) * jpeg.image_height <=
                                512 * (static_cast<int64_t>(contents.size()) + 64);
}

}  // namespace

Result<ImageSize> ReadJpegSize(std::string_view contents) {
  JpegReader reader;
  if (!reader.ReadHeader(contents))
    return InvalidArgument("Invalid JPEG data, size {}: {}", contents.size(), reader.why());
  return ImageSize{1, reader.jpeg().image_height, reader.jpeg().image_width, reader.jpeg().num_components};
}

Status DecodeJpeg(std::string_view contents, const JpegDecodeOptions& options, const PixelsFn& pixels) {
  WEIR_TRY(CheckOptions(options));
  JpegReader reader;
  if (!reader.ReadHeader(contents)) return Invalid(contents, reader.why());
  const jpeg_decompress_struct& jpeg = reader.jpeg();
  const int64_t channels = options.channels != 0 ? options.channels : std::min(jpeg.num_components, 3);
  if (channels == 1 && reader.is_cmyk()) return Invalid(contents, "a CMYK image cannot be decoded to 1 channel");
  if (!options.try_recover_truncated && !CanHold(contents, jpeg))
    return Invalid(contents, "the data is too short for the size in the header");
  if (!reader.Start(options, channels == 1)) return Invalid(contents, reader.why());
  const int64_t height = jpeg.output_height, width = jpeg.output_width, used = jpeg.out_color_components;
  if (height <= 0 || width <= 0 || height > kMaxImageBytes / (width * 4))
    return InvalidArgument("a JPEG image of {} x {} pixels is over the limit of {} bytes", height, width,
                           kMaxImageBytes);
  WEIR_ASSIGN(const CropWindow window, Window(options, height, width));
  if (!reader.StartRows()) return Invalid(contents, reader.why());
  WEIR_ASSIGN(void* out, pixels({1, window.height, window.width, channels}));
  auto* to = static_cast<uint8_t*>(out);
  std::vector<uint8_t> row(static_cast<size_t>(width * std::max(used, channels)));
  std::vector<uint8_t> converted(reader.is_cmyk() ? static_cast<size_t>(width * 3) : 0);
  const int64_t row_size = window.width * channels;
  for (int64_t y = 0; y < window.y + window.height; ++y) {
    if (!reader.ReadRow(row.data())) return Invalid(contents, reader.why());
    if (reader.truncated() && !options.try_recover_truncated) return Invalid(contents, "the data is truncated");
    const uint8_t* from = row.data();
    if (reader.is_cmyk()) {
      CmykToRgb(row.data(), width, reader.is_inverted(), converted.data());
      from = converted.data();
    }
    if (y >= window.y)
      std::memcpy(to + (y - window.y) * row_size, from + window.x * channels, static_cast<size_t>(row_size));
  }
  return OkStatus();
}

// --- writing
namespace {

struct JpegWriter {
  jpeg_compress_struct jpeg = {};
  Errors errors = {};
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  bool created = false;

  ~JpegWriter() {
    if (created) jpeg_destroy_compress(&jpeg);
    std::free(bytes);
  }

  bool Write(const ImageView& image, const JpegEncodeOptions& options, const std::string& xmp) {
    if (setjmp(errors.leave) != 0) return false;
    jpeg_create_compress(&jpeg);
    created = true;
    jpeg_mem_dest(&jpeg, &bytes, &size);
    jpeg.image_width = static_cast<JDIMENSION>(image.width);
    jpeg.image_height = static_cast<JDIMENSION>(image.height);
    jpeg.input_components = static_cast<int>(image.channels);
    jpeg.in_color_space = image.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&jpeg);
    if (options.optimize_size) jpeg.optimize_coding = TRUE;
    jpeg.density_unit = options.per_centimeter ? 2 : 1;
    jpeg.X_density = static_cast<UINT16>(options.x_density);
    jpeg.Y_density = static_cast<UINT16>(options.y_density);
    jpeg_set_quality(&jpeg, static_cast<int>(options.quality), TRUE);
    if (options.progressive) jpeg_simple_progression(&jpeg);
    if (!options.chroma_downsampling) {
      for (int c = 0; c < jpeg.num_components; ++c)
        jpeg.comp_info[c].h_samp_factor = jpeg.comp_info[c].v_samp_factor = 1;
    }
    jpeg_start_compress(&jpeg, TRUE);
    if (!xmp.empty())
      jpeg_write_marker(&jpeg, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(xmp.data()),
                        static_cast<unsigned>(xmp.size()));
    while (jpeg.next_scanline < jpeg.image_height) {
      auto* row = const_cast<JSAMPROW>(image.pixels.data()) +
                  size_t{jpeg.next_scanline} * jpeg.image_width * static_cast<size_t>(image.channels);
      jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    return true;
  }
};

}  // namespace

Result<std::string> EncodeJpeg(const ImageView& image, const JpegEncodeOptions& options) {
  if (image.channels != 1 && image.channels != 3)
    return InvalidArgument("a JPEG image has 1 or 3 channels, not {}", image.channels);
  if (image.wide) return InvalidArgument("a JPEG image has 8 bits per channel");
  if (options.quality < 0 || options.quality > 100)
    return InvalidArgument("quality must be in [0,100], got {}", options.quality);
  if (image.height < 1 || image.width < 1 || image.height > JPEG_MAX_DIMENSION || image.width > JPEG_MAX_DIMENSION)
    return InvalidArgument("an image of {} x {} pixels cannot be a JPEG image", image.height, image.width);
  if (static_cast<int64_t>(image.pixels.size()) != image.height * image.width * image.channels)
    return InvalidArgument("{} bytes do not match an image of {} x {} pixels with {} channels", image.pixels.size(),
                           image.height, image.width, image.channels);
  constexpr size_t kMaxMarker = 65533;
  const std::string xmp =
      options.xmp_metadata.empty() ? "" : std::string("http://ns.adobe.com/xap/1.0/") + '\0' + options.xmp_metadata;
  if (xmp.size() > kMaxMarker) return InvalidArgument("{} bytes of metadata are too many", options.xmp_metadata.size());
  JpegWriter writer;
  Prepare(writer.errors);
  writer.jpeg.err = &writer.errors.base;
  if (!writer.Write(image, options, xmp))
    return Internal("an image could not be encoded as JPEG: {}", writer.errors.why);
  return std::string(reinterpret_cast<const char*>(writer.bytes), writer.size);
}

}  // namespace weir::io

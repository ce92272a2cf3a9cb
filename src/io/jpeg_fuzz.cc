// Decodes arbitrary bytes as a JPEG image. The first byte selects the options.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/image_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const int how = data[0];
  const std::string_view contents(reinterpret_cast<const char*>(data) + 1, size - 1);
  // A few bytes may claim any number of pixels. Skip huge images: they would only be slow.
  const weir::Result<weir::io::ImageSize> claimed = weir::io::ReadJpegSize(contents);
  if (claimed.ok() && claimed->height * claimed->width > (1 << 20)) return 0;
  weir::io::JpegDecodeOptions options;
  options.channels = how % 3 == 2 ? 3 : how % 3;
  options.ratio = 1 << (how / 4 % 4);
  options.fancy_upscaling = how / 16 % 2 == 0;
  options.accurate = how / 32 % 2 == 1;
  options.try_recover_truncated = how / 64 % 2 == 1;
  if (how / 128 == 1) options.crop = weir::io::CropWindow{1, 2, 3, 4};
  std::vector<uint8_t> memory;
  weir::io::DecodeJpeg(contents, options, weir::io::FuzzedPixels(memory)).IgnoreError();
  return 0;
}

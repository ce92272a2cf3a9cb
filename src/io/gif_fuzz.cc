// Decodes arbitrary bytes as a GIF image. The first byte is ignored: there are no options.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/image_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const std::string_view contents(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::vector<uint8_t> memory;
  weir::io::DecodeGif(contents, weir::io::FuzzedPixels(memory)).IgnoreError();
  return 0;
}

// Decodes arbitrary bytes as a PNG image. The first byte selects channels and depth.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/image_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const int how = data[0];
  const std::string_view contents(reinterpret_cast<const char*>(data) + 1, size - 1);
  constexpr int64_t kChannels[] = {0, 1, 3, 4};
  std::vector<uint8_t> memory;
  weir::io::DecodePng(contents, {kChannels[how % 4], how % 8 >= 4}, weir::io::FuzzedPixels(memory)).IgnoreError();
  return 0;
}

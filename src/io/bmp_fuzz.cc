// Any bytes as a BMP image: decoding gives an error or pixels within bounds. The first byte chooses the channels.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/image.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace weir;
  if (size < 1) return 0;
  const int how = data[0];
  const std::string_view contents(reinterpret_cast<const char*>(data) + 1, size - 1);
  constexpr int64_t kChannels[] = {0, 3, 4};
  std::vector<uint8_t> memory;
  const io::PixelsFn pixels = [&](const io::ImageSize& image) -> Result<void*> {
    const int64_t elements = image.frames * image.height * image.width * image.channels;
    if (elements <= 0 || elements > io::kMaxImageBytes) __builtin_trap();
    if (elements > (1 << 24)) return ResourceExhausted("here that would only be slow");
    memory.resize(static_cast<size_t>(elements) * 2);
    return memory.data();
  };
  io::DecodeBmp(contents, kChannels[how % 3], pixels).IgnoreError();
  return 0;
}

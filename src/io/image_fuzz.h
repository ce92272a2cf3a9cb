// Shared by the fuzz targets of image decoders: provides memory for pixels and traps if a decoder exceeds the limits.
#ifndef WEIR_IO_IMAGE_FUZZ_H_
#define WEIR_IO_IMAGE_FUZZ_H_

#include <vector>

#include "io/image.h"

namespace weir::io {

inline PixelsFn FuzzedPixels(std::vector<uint8_t>& memory) {
  return [&memory](const ImageSize& image) -> Result<void*> {
    const int64_t elements = image.frames * image.height * image.width * image.channels;
    if (elements <= 0 || elements > kMaxImageBytes) __builtin_trap();
    if (elements > (1 << 24)) return ResourceExhausted("here that would only be slow");
    memory.resize(static_cast<size_t>(elements) * 2);  // for channels of 16 bits
    return memory.data();
  };
}

}  // namespace weir::io

#endif  // WEIR_IO_IMAGE_FUZZ_H_

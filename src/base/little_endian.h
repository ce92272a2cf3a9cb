// Reads numbers from bytes in little-endian order, on any machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir {

// `size` bytes as a number. REQUIRES: size <= 8.
inline uint64_t LittleEndian(const char* data, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) value |= uint64_t{static_cast<unsigned char>(data[i])} << (8 * i);
  return value;
}

}  // namespace weir

// CRC-32C (Castagnoli), the checksum of TFRecords, checkpoints and tables, and its masked form, which files store.
#ifndef WEIR_BASE_CRC32C_H_
#define WEIR_BASE_CRC32C_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weir::crc32c {

// The checksum of A followed by `data`, where `crc` is the checksum of A.
uint32_t Extend(uint32_t crc, const void* data, size_t size);

inline uint32_t Value(const void* data, size_t size) { return Extend(0, data, size); }
inline uint32_t Value(std::string_view data) { return Extend(0, data.data(), data.size()); }

// The CRC of data that contains its own CRC is weak, so files store the CRC rotated and with a constant added.
constexpr uint32_t kMaskDelta = 0xa282ead8u;
constexpr uint32_t Mask(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + kMaskDelta; }
constexpr uint32_t Unmask(uint32_t masked) {
  const uint32_t rotated = masked - kMaskDelta;
  return (rotated >> 17) | (rotated << 15);
}

// Portable implementation for CPUs without the CRC instruction; same results. Public for tests.
uint32_t ExtendPortable(uint32_t crc, const void* data, size_t size);

}  // namespace weir::crc32c

#endif  // WEIR_BASE_CRC32C_H_

// CRC-32C (Castagnoli), the checksum of TFRecords, checkpoints and tables, and the masked form in which they store it.
#ifndef WEIR_BASE_CRC32C_H_
#define WEIR_BASE_CRC32C_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weir::crc32c {

// The checksum of A followed by `data`, where `crc` is that of A.
uint32_t Extend(uint32_t crc, const void* data, size_t size);

inline uint32_t Value(const void* data, size_t size) { return Extend(0, data, size); }
inline uint32_t Value(std::string_view data) { return Extend(0, data.data(), data.size()); }

// A checksum over data that holds checksums itself is weak: files store a rotated and shifted one.
constexpr uint32_t kMaskDelta = 0xa282ead8u;
constexpr uint32_t Mask(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + kMaskDelta; }
constexpr uint32_t Unmask(uint32_t masked) {
  const uint32_t rotated = masked - kMaskDelta;
  return (rotated >> 17) | (rotated << 15);
}

// The portable way, for machines without the instruction; same results. Public for tests.
uint32_t ExtendPortable(uint32_t crc, const void* data, size_t size);

}  // namespace weir::crc32c

#endif  // WEIR_BASE_CRC32C_H_

// Encodings of integers in files: little-endian fixed size, and varints with 7 bits per byte, lowest bits first.
#ifndef WEIR_IO_CODING_H_
#define WEIR_IO_CODING_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace weir::io {

inline void PutFixed32(std::string& to, uint32_t value) {
  for (int i = 0; i < 4; ++i) to.push_back(static_cast<char>(value >> (8 * i)));
}
inline void PutFixed64(std::string& to, uint64_t value) {
  for (int i = 0; i < 8; ++i) to.push_back(static_cast<char>(value >> (8 * i)));
}
inline void PutVarint(std::string& to, uint64_t value) {
  for (; value >= 0x80; value >>= 7) to.push_back(static_cast<char>(value | 0x80));
  to.push_back(static_cast<char>(value));
}

// REQUIRES: 4 (or 8) bytes at `data`.
inline uint32_t Fixed32(const char* data) {
  uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(data[i]);
  return value;
}
inline uint64_t Fixed64(const char* data) { return Fixed32(data) | uint64_t{Fixed32(data + 4)} << 32; }

// Removes a varint from the front. Returns false, without a change, if it is incomplete or does not fit 64 bits.
inline bool TakeVarint(std::string_view& from, uint64_t* value) {
  *value = 0;
  for (size_t i = 0; i < from.size() && i < 10; ++i) {
    const uint64_t byte = static_cast<unsigned char>(from[i]);
    if (i == 9 && byte > 1) return false;
    *value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      from.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

}  // namespace weir::io

#endif  // WEIR_IO_CODING_H_

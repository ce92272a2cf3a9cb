#include "base/crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace weir::crc32c {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78u;  // reflected
using Tables = std::array<std::array<uint32_t, 256>, 8>;

// tables[k][b]: the contribution of byte b to the checksum when k more bytes follow it.
constexpr Tables MakeTables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (size_t k = 1; k < tables.size(); ++k) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}
constexpr Tables kTables = MakeTables();

#if defined(__x86_64__)
// The CRC instruction has a latency of 3 cycles and a throughput of 1 per cycle, so three streams are interleaved.
// To join them, a stream's CRC is advanced over the zero bytes that stand for the next stream. That is a linear map,
// computed with lookup tables.
constexpr size_t kStream = 1024;

constexpr uint32_t OverZeros(uint32_t crc, size_t count) {
  for (size_t i = 0; i < count; ++i) crc = (crc >> 8) ^ kTables[0][crc & 0xff];
  return crc;
}

using ShiftTable = std::array<std::array<uint32_t, 256>, 4>;
ShiftTable MakeShiftTable(size_t zeros) {
  ShiftTable table{};
  for (size_t position = 0; position < 4; ++position) {
    std::array<uint32_t, 8> bits{};
    for (size_t bit = 0; bit < 8; ++bit) bits[bit] = OverZeros(1u << (8 * position + bit), zeros);
    for (size_t byte = 0; byte < 256; ++byte) {
      for (size_t bit = 0; bit < 8; ++bit) {
        if ((byte >> bit & 1) != 0) table[position][byte] ^= bits[bit];
      }
    }
  }
  return table;
}
uint32_t Shift(const ShiftTable& table, uint32_t crc) {
  return table[0][crc & 0xff] ^ table[1][crc >> 8 & 0xff] ^ table[2][crc >> 16 & 0xff] ^ table[3][crc >> 24];
}

uint64_t Load64(const unsigned char* p) {
  uint64_t value;
  std::memcpy(&value, p, sizeof(value));
  return value;
}

__attribute__((target("sse4.2"))) uint32_t ExtendSse42(uint32_t crc, const void* data, size_t size) {
  static const ShiftTable shift = MakeShiftTable(kStream);
  const auto* p = static_cast<const unsigned char*>(data);
  uint64_t state = crc ^ 0xffffffffu;
  for (; size >= 3 * kStream; size -= 3 * kStream, p += 3 * kStream) {
    uint64_t a = state;
    uint64_t b = 0;
    uint64_t c = 0;
    for (size_t i = 0; i < kStream; i += 8) {
      a = _mm_crc32_u64(a, Load64(p + i));
      b = _mm_crc32_u64(b, Load64(p + kStream + i));
      c = _mm_crc32_u64(c, Load64(p + 2 * kStream + i));
    }
    const uint32_t ab = Shift(shift, static_cast<uint32_t>(a)) ^ static_cast<uint32_t>(b);
    state = Shift(shift, ab) ^ static_cast<uint32_t>(c);
  }
  for (; size >= 8; size -= 8, p += 8) state = _mm_crc32_u64(state, Load64(p));
  auto narrow = static_cast<uint32_t>(state);
  for (; size > 0; --size, ++p) narrow = _mm_crc32_u8(narrow, *p);
  return narrow ^ 0xffffffffu;
}
#endif

}  // namespace

uint32_t ExtendPortable(uint32_t crc, const void* data, size_t size) {
  const auto* p = static_cast<const unsigned char*>(data);
  crc ^= 0xffffffffu;
  for (; size >= 8; size -= 8, p += 8) {
    const uint32_t low = crc ^ (p[0] | uint32_t{p[1]} << 8 | uint32_t{p[2]} << 16 | uint32_t{p[3]} << 24);
    crc = kTables[7][low & 0xff] ^ kTables[6][low >> 8 & 0xff] ^ kTables[5][low >> 16 & 0xff] ^ kTables[4][low >> 24] ^
          kTables[3][p[4]] ^ kTables[2][p[5]] ^ kTables[1][p[6]] ^ kTables[0][p[7]];
  }
  for (; size > 0; --size, ++p) crc = (crc >> 8) ^ kTables[0][(crc ^ *p) & 0xff];
  return crc ^ 0xffffffffu;
}

uint32_t Extend(uint32_t crc, const void* data, size_t size) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  if (has_instruction) return ExtendSse42(crc, data, size);
#endif
  return ExtendPortable(crc, data, size);
}

}  // namespace weir::crc32c

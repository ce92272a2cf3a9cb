#include "base/md5.h"

#include <bit>
#include <cmath>
#include <string>

namespace weir {
namespace {

constexpr int kShifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

void AddBlock(const uint8_t* block, std::array<uint32_t, 4>& state) {
  std::array<uint32_t, 16> words;
  for (size_t i = 0; i < 16; ++i) {
    words[i] = block[4 * i] | (uint32_t{block[4 * i + 1]} << 8) | (uint32_t{block[4 * i + 2]} << 16) |
               (uint32_t{block[4 * i + 3]} << 24);
  }
  auto [a, b, c, d] = state;
  for (uint32_t i = 0; i < 64; ++i) {
    const uint32_t round = i / 16;
    const uint32_t mix[4] = {(b & c) | (~b & d), (d & b) | (~d & c), b ^ c ^ d, c ^ (b | ~d)};
    const uint32_t word[4] = {i, 5 * i + 1, 3 * i + 5, 7 * i};
    const auto constant =
        static_cast<uint32_t>(static_cast<int64_t>(std::floor(std::fabs(std::sin(i + 1.0)) * 0x1p32)));
    const uint32_t sum = a + mix[round] + constant + words[word[round] % 16];
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, kShifts[round][i % 4]);
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d};
}

}  // namespace

std::array<uint8_t, 16> Md5(std::string_view text) {
  std::string padded(text);
  padded += '\x80';
  while (padded.size() % 64 != 56) padded += '\0';
  const uint64_t bits = uint64_t{text.size()} * 8;
  for (int i = 0; i < 8; ++i) padded += static_cast<char>((bits >> (8 * i)) & 0xff);
  std::array<uint32_t, 4> state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  for (size_t at = 0; at < padded.size(); at += 64)
    AddBlock(reinterpret_cast<const uint8_t*>(padded.data()) + at, state);
  std::array<uint8_t, 16> digest;
  for (size_t i = 0; i < 16; ++i) digest[i] = static_cast<uint8_t>(state[i / 4] >> (8 * (i % 4)));
  return digest;
}

}  // namespace weir

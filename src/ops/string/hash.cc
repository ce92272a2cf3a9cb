#include "ops/string/hash.h"

#include <farmhash.h>

#include <bit>
#include <cstring>

#include "base/little_endian.h"

namespace weir::ops {

uint64_t FarmFingerprint64(std::string_view data) { return util::Fingerprint64(data.data(), data.size()); }

std::pair<uint64_t, uint64_t> FarmFingerprint128(std::string_view data) {
  const auto hash = util::Fingerprint128(data.data(), data.size());
  return {util::Uint128Low64(hash), util::Uint128High64(hash)};
}

uint64_t SipHash24(uint64_t key0, uint64_t key1, std::string_view data) {
  uint64_t v0 = key0 ^ 0x736f6d6570736575;
  uint64_t v1 = key1 ^ 0x646f72616e646f6d;
  uint64_t v2 = key0 ^ 0x6c7967656e657261;
  uint64_t v3 = key1 ^ 0x7465646279746573;
  const auto rounds = [&](int count) {
    for (int i = 0; i < count; ++i) {
      v0 += v1;
      v1 = std::rotl(v1, 13) ^ v0;
      v0 = std::rotl(v0, 32);
      v2 += v3;
      v3 = std::rotl(v3, 16) ^ v2;
      v0 += v3;
      v3 = std::rotl(v3, 21) ^ v0;
      v2 += v1;
      v1 = std::rotl(v1, 17) ^ v2;
      v2 = std::rotl(v2, 32);
    }
  };
  const auto take = [&](uint64_t word) {
    v3 ^= word;
    rounds(2);
    v0 ^= word;
  };
  const uint64_t size = data.size();
  for (; data.size() >= 8; data.remove_prefix(8)) take(LittleEndian(data.data(), 8));
  take((size << 56) | LittleEndian(data.data(), data.size()));
  v2 ^= 0xff;
  rounds(4);
  return v0 ^ v1 ^ v2 ^ v3;
}

}  // namespace weir::ops

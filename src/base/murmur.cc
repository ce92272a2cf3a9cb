#include "base/murmur.h"

#include "base/little_endian.h"

namespace weir {

uint64_t Murmur64(std::string_view data) {
  constexpr uint64_t kSeed = 0xDECAFCAFFE;
  constexpr uint64_t kFactor = 0xc6a4a7935bd1e995;
  constexpr int kShift = 47;
  uint64_t hash = kSeed ^ (data.size() * kFactor);
  for (; data.size() >= 8; data.remove_prefix(8)) {
    uint64_t word = LittleEndian(data.data(), 8) * kFactor;
    word ^= word >> kShift;
    hash = (hash ^ (word * kFactor)) * kFactor;
  }
  if (!data.empty()) hash = (hash ^ LittleEndian(data.data(), data.size())) * kFactor;
  hash = (hash ^ (hash >> kShift)) * kFactor;
  return hash ^ (hash >> kShift);
}

}  // namespace weir

#include "base/murmur.h"

namespace weir {
namespace {

// `size` bytes (at most 8) as a little-endian number.
uint64_t LittleEndian(const char* data, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) value |= uint64_t{static_cast<unsigned char>(data[i])} << (8 * i);
  return value;
}

}  // namespace

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

// Murmur64: the hash by which TensorFlow puts strings into buckets and numbers loops. Not for untrusted keys.
#ifndef WEIR_BASE_MURMUR_H_
#define WEIR_BASE_MURMUR_H_

#include <cstdint>
#include <string_view>

namespace weir {

uint64_t Murmur64(std::string_view data);
// One number out of two, in which their order matters.
constexpr uint64_t CombineHashes(uint64_t a, uint64_t b) { return a ^ (b + 0x9e3779b97f4a7800 + (a << 10) + (a >> 4)); }

}  // namespace weir

#endif  // WEIR_BASE_MURMUR_H_

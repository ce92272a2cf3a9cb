// Murmur64: the hash that TensorFlow uses for string buckets and for loop numbers. Not for untrusted keys.
#ifndef WEIR_BASE_MURMUR_H_
#define WEIR_BASE_MURMUR_H_

#include <cstdint>
#include <string_view>

namespace weir {

uint64_t Murmur64(std::string_view data);
// Combines two hashes. The order matters.
constexpr uint64_t CombineHashes(uint64_t a, uint64_t b) { return a ^ (b + 0x9e3779b97f4a7800 + (a << 10) + (a >> 4)); }

}  // namespace weir

#endif  // WEIR_BASE_MURMUR_H_

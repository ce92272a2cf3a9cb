// The hash functions behind string_to_hash_bucket*: their values are part of what models are trained with and never
// change.
#pragma once

#include <cstdint>
#include <string_view>

namespace weir::ops {

// MurmurHash64A with TensorFlow's seed: StringToHashBucket.
uint64_t Murmur64(std::string_view data);
// FarmHash's Fingerprint64: StringToHashBucketFast.
uint64_t FarmFingerprint64(std::string_view data);
// SipHash-2-4 under a 128-bit key: StringToHashBucketStrong.
uint64_t SipHash24(uint64_t key0, uint64_t key1, std::string_view data);

}  // namespace weir::ops

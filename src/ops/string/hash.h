// The hash functions of string_to_hash_bucket_fast and _strong (the legacy one is base/murmur.h) and of sdca_fprint.
// Trained models depend on their values, so these must never change.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

namespace weir::ops {

// FarmHash's Fingerprint64: StringToHashBucketFast.
uint64_t FarmFingerprint64(std::string_view data);
// FarmHash's Fingerprint128, as its low and high halves: SdcaFprint.
std::pair<uint64_t, uint64_t> FarmFingerprint128(std::string_view data);
// SipHash-2-4 under a 128-bit key: StringToHashBucketStrong.
uint64_t SipHash24(uint64_t key0, uint64_t key1, std::string_view data);

}  // namespace weir::ops

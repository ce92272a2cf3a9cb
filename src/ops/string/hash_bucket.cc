// StringToHashBucket and its fast and strong forms: the hash of each string modulo the number of buckets.
#include "base/murmur.h"
#include "op/shape_context.h"
#include "ops/string/hash.h"
#include "ops/string/map_strings.h"

namespace weir::ops {
namespace {

// `hash`: uint64_t(const std::string& text)
template <class F>
Result<Kernel> BucketKernel(KernelSetup& setup, F hash) {
  WEIR_ASSIGN(const int64_t buckets, setup.Attr<int64_t>("num_buckets"));
  return Kernel::Sync([buckets, hash](KernelContext& ctx) {
    return MapStrings<int64_t>(ctx, [&](const std::string& text) {
      return static_cast<int64_t>(hash(text) % static_cast<uint64_t>(buckets));
    });
  });
}

Result<Kernel> MakeStrong(KernelSetup& setup) {
  WEIR_ASSIGN(const std::vector<int64_t> key, setup.Attr<std::vector<int64_t>>("key"));
  if (key.size() != 2) return InvalidArgument("Key must have 2 elements, not {}", key.size());
  const auto key0 = static_cast<uint64_t>(key[0]);
  const auto key1 = static_cast<uint64_t>(key[1]);
  return BucketKernel(setup, [key0, key1](std::string_view text) { return SipHash24(key0, key1, text); });
}

}  // namespace

void RegisterHashBucket(OpRegistry& registry) {
  registry.Add({
      .name = "StringToHashBucket",
      .signature = "string_tensor: string -> output: int64",
      .attrs = {"num_buckets: int >= 1"},
      .shape = SameAsInput(0),
      .no_gradient = kNoGradient,
      .kernels = CpuKernel([](KernelSetup& setup) { return BucketKernel(setup, Murmur64); }),
  });
  registry.Add({
      .name = "StringToHashBucketFast",
      .signature = "input: string -> output: int64",
      .attrs = {"num_buckets: int >= 1"},
      .shape = SameAsInput(0),
      .no_gradient = kNoGradient,
      .kernels = CpuKernel([](KernelSetup& setup) { return BucketKernel(setup, FarmFingerprint64); }),
  });
  registry.Add({
      .name = "StringToHashBucketStrong",
      .signature = "input: string -> output: int64",
      .attrs = {"num_buckets: int >= 1", "key: list(int)"},
      .shape = SameAsInput(0),
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeStrong),
  });
}

}  // namespace weir::ops

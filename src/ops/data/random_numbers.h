// Random numbers of datasets. They are TensorFlow's, so that a seed gives the same elements.
#pragma once

#include "base/philox.h"
#include "base/rng.h"
#include "ops/data/dataset.h"

namespace weir::ops {

struct Seeds {
  int64_t first = 0;
  int64_t second = 0;
};

// Reads two scalar inputs, "seed" and "seed2". Two zeros ask for seeds that differ in every run.
inline Result<Seeds> SeedsFrom(const KernelContext& ctx, int input) {
  Seeds seeds;
  WEIR_ASSIGN(seeds.first, ScalarInt(ctx, input, "seed"));
  WEIR_ASSIGN(seeds.second, ScalarInt(ctx, input + 1, "seed2"));
  if (seeds.first == 0 && seeds.second == 0) {
    seeds.first = static_cast<int64_t>(RealRng().Next64());
    seeds.second = static_cast<int64_t>(RealRng().Next64());
  }
  return seeds;
}

// The numbers of a generator, one at a time.
class RandomNumbers {
 public:
  explicit RandomNumbers(Seeds seeds)
      : generator_(static_cast<uint64_t>(seeds.first), static_cast<uint64_t>(seeds.second)) {}
  uint32_t Next() {
    if (used_ == Philox::kBlockSize) {
      block_ = generator_();
      used_ = 0;
    }
    return block_[static_cast<size_t>(used_++)];
  }

 private:
  Philox generator_;
  Philox::Block block_{};
  int used_ = Philox::kBlockSize;
};

}  // namespace weir::ops

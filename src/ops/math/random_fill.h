// Shared by the random ops: the generator that a kernel keeps between runs, and parallel filling from it. The numbers
// depend only on the generator, not on the number of threads.
#ifndef WEIR_OPS_MATH_RANDOM_FILL_H_
#define WEIR_OPS_MATH_RANDOM_FILL_H_

#include <algorithm>
#include <memory>
#include <mutex>

#include "op/kernel.h"
#include "op/shape_context.h"
#include "ops/math/random_numbers.h"

namespace weir::ops {

// The number of blocks of the sequence that each output of a run may use. The next run starts after them.
constexpr uint64_t kReservedPerOutput = 256;

// A node's position in its random sequence. Thread-safe.
class NodeGenerator final {
 public:
  // Seeded by the attributes "seed" and "seed2"; unpredictable if both are 0.
  static Result<std::shared_ptr<NodeGenerator>> Make(KernelSetup& setup);
  explicit NodeGenerator(Philox philox) : philox_(philox) {}

  // Returns the sequence at the current position and advances the position by `blocks`.
  Philox Reserve(uint64_t blocks);
  Philox ReserveOutputs(int64_t outputs) { return Reserve(static_cast<uint64_t>(outputs) * kReservedPerOutput); }

 private:
  std::mutex mu_;
  Philox philox_;
};

// Returns the generator for the seed of a stateless op (two integers).
Result<Philox> GeneratorFromSeed(const Tensor& seed);

// Fills out[0, n) with distribution(generator), which consumes one block per group of numbers.
template <class T, class Distribution>
Status FillFromBlocks(const KernelContext& ctx, const Philox& start, T* out, int64_t n,
                      const Distribution& distribution) {
  constexpr int64_t kCount = Distribution::kCount;
  return ctx.ParallelFor((n + kCount - 1) / kCount, kCount * Distribution::kNanosPerNumber,
                         [&](int64_t begin, int64_t end) {
                           Philox generator = start;
                           generator.Skip(static_cast<uint64_t>(begin));
                           for (int64_t group = begin; group < end; ++group) {
                             const auto numbers = distribution(generator);
                             std::copy_n(numbers.begin(), std::min(kCount, n - group * kCount), out + group * kCount);
                           }
                         });
}

// The same for a distribution that consumes any number of samples: every group has its own part of the sequence.
template <class T, class Distribution>
Status FillFromSamples(const KernelContext& ctx, const Philox& start, T* out, int64_t n,
                       const Distribution& distribution) {
  constexpr int64_t kCount = Distribution::kCount;
  constexpr uint64_t kBlocksPerGroup = kCount * kReservedPerOutput / Philox::kBlockSize;
  return ctx.ParallelFor((n + kCount - 1) / kCount, kCount * Distribution::kNanosPerNumber,
                         [&](int64_t begin, int64_t end) {
                           for (int64_t group = begin; group < end; ++group) {
                             Philox generator = start;
                             generator.Skip(static_cast<uint64_t>(group) * kBlocksPerGroup);
                             SingleSamples samples(generator);
                             const auto numbers = distribution(samples);
                             std::copy_n(numbers.begin(), std::min(kCount, n - group * kCount), out + group * kCount);
                           }
                         });
}

// Input 0 holds the output shape. The other inputs are scalars, except the seed (input `seed`), which has two elements.
ShapeFn RandomShape(int seed = -1);

}  // namespace weir::ops

#endif  // WEIR_OPS_MATH_RANDOM_FILL_H_

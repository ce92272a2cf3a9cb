// What random ops share: the generator that a kernel keeps from run to run, and filling memory from it in parallel.
// The numbers depend on the generator alone, never on how many threads fill.
#ifndef WEIR_OPS_MATH_RANDOM_FILL_H_
#define WEIR_OPS_MATH_RANDOM_FILL_H_

#include <algorithm>
#include <memory>
#include <mutex>

#include "op/kernel.h"
#include "op/shape_context.h"
#include "ops/math/random_numbers.h"

namespace weir::ops {

// How many blocks of the sequence every output of a run may use; the next run begins after that many for each.
constexpr uint64_t kReservedPerOutput = 256;

// A node's place in its random sequence. Thread-safe.
class NodeGenerator final {
 public:
  // From the attributes "seed" and "seed2"; both 0: a sequence that nobody can foretell.
  static Result<std::shared_ptr<NodeGenerator>> Make(KernelSetup& setup);
  explicit NodeGenerator(Philox philox) : philox_(philox) {}

  // The sequence from the current place on; the place moves on by `blocks`.
  Philox Reserve(uint64_t blocks);
  Philox ReserveOutputs(int64_t outputs) { return Reserve(static_cast<uint64_t>(outputs) * kReservedPerOutput); }

 private:
  std::mutex mu_;
  Philox philox_;
};

// The generator that a stateless op's seed (two integers) stands for.
Result<Philox> GeneratorFromSeed(const Tensor& seed);

// out[0, n) from distribution(block) for one block after the other.
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

// The same for a distribution that takes as many samples as it likes: every group has its own part of the sequence.
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

// The output has the shape that input 0 holds; the other inputs are scalars, the seed (input `seed`) has two elements.
ShapeFn RandomShape(int seed = -1);

}  // namespace weir::ops

#endif  // WEIR_OPS_MATH_RANDOM_FILL_H_

// RandomShuffle: a uniformly random permutation of the rows of a tensor (Fisher-Yates).
#include <numeric>

#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/elements.h"
#include "ops/math/random_fill.h"

namespace weir::ops {
namespace {

Result<Kernel> MakeShuffle(KernelSetup& setup) {
  WEIR_ASSIGN(std::shared_ptr<NodeGenerator> generator, NodeGenerator::Make(setup));
  return Kernel::Sync([generator](KernelContext& ctx) -> Status {
    const Tensor& in = ctx.input(0);
    if (in.num_elements() <= 1 || in.dim(0) <= 1) {
      ctx.set_output(0, in);
      return OkStatus();
    }
    const int64_t rows = in.dim(0);
    const int64_t row_size = in.num_elements() / rows;
    SingleSamples random(generator->Reserve(static_cast<uint64_t>(rows - 1 + 3) / 4));
    std::vector<int64_t> order(static_cast<size_t>(rows));
    std::iota(order.begin(), order.end(), 0);
    for (int64_t i = 0; i + 1 < rows; ++i) {
      const int64_t from = i + random() % static_cast<uint32_t>(rows - i);
      std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(from)]);
    }
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, in.shape()));
    const Elements elements(in.dtype());
    return ctx.ParallelFor(rows, elements.Cost(row_size) + 2, [&](int64_t i) {
      elements.Copy(elements.At(out, i * row_size), elements.At(in, order[static_cast<size_t>(i)] * row_size),
                    row_size);
    });
  });
}

}  // namespace

void RegisterRandomShuffle(OpRegistry& registry) {
  registry.Add({
      .name = "RandomShuffle",
      .signature = "value: T -> output: T",
      .attrs = {"seed: int = 0", "seed2: int = 0", "T: type"},
      .shape = SameAsInput(0),
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeShuffle),
      .traits = kComputesOnly,
      .stateful = true,
  });
}

}  // namespace weir::ops

// Samples from distributions given as unnormalized log-probabilities: logits [batch, classes] -> [batch, samples].
// Every sample takes two numbers of one sequence, row after row.
#include <limits>

#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/int_inputs.h"
#include "ops/math/random_fill.h"

namespace weir::ops {
namespace {

struct Sizes {
  int64_t batch;
  int64_t classes;
  int64_t samples;
};

Result<Sizes> CheckInputs(const KernelContext& ctx) {
  const Tensor& logits = ctx.input(0);
  const Tensor& count = ctx.input(1);
  if (logits.rank() != 2) return InvalidArgument("logits should be a matrix, got shape {}", logits.shape());
  if (count.rank() != 0) return InvalidArgument("num_samples should be a scalar, got shape {}", count.shape());
  const int64_t samples = IntAt(count, 0);
  if (samples < 0) return InvalidArgument("num_samples should be nonnegative, got {}", samples);
  if (logits.dim(1) <= 0) return InvalidArgument("num_classes should be positive, got {}", logits.dim(1));
  return Sizes{logits.dim(0), logits.dim(1), samples};
}

// Computes the cumulative sums of exp(logit - max), ignoring logits that are not finite. cdf: one row.
template <class T>
void Accumulate(const T* logits, int64_t classes, double* cdf) {
  double largest = std::numeric_limits<double>::lowest();
  for (int64_t j = 0; j < classes; ++j) {
    const auto x = static_cast<double>(logits[j]);
    if (std::isfinite(x)) largest = std::max(largest, x);
  }
  double total = 0;
  for (int64_t j = 0; j < classes; ++j) {
    const auto x = static_cast<double>(logits[j]);
    if (std::isfinite(x)) total += std::exp(x - largest);
    cdf[j] = total;
  }
}

template <class T>
Status Draw(KernelContext& ctx, const Sizes& sizes, const Philox& start) {
  const T* logits = ctx.input(0).data<T>();
  const Tensor& out = ctx.output(0);
  const int64_t cost = 30 * sizes.samples + 20 * sizes.classes;
  return ctx.ParallelFor(sizes.batch, cost, [&](int64_t begin, int64_t end) {
    std::vector<double> cdf(static_cast<size_t>(sizes.classes));
    SingleSamples random(start);
    random.Skip(static_cast<uint64_t>(begin) * static_cast<uint64_t>(sizes.samples) * 2);
    for (int64_t row = begin; row < end; ++row) {
      Accumulate(logits + row * sizes.classes, sizes.classes, cdf.data());
      for (int64_t i = 0; i < sizes.samples; ++i) {
        const uint32_t high = random();
        const double wanted = UnitDouble(high, random()) * cdf.back();
        const int64_t found = std::upper_bound(cdf.begin(), cdf.end(), wanted) - cdf.begin();
        const int64_t at = row * sizes.samples + i;
        if (out.dtype() == kInt32) {
          out.data<int32_t>()[at] = static_cast<int32_t>(found);
        } else {
          out.data<int64_t>()[at] = found;
        }
      }
    }
  });
}

Status AllocateDraws(KernelContext& ctx, const Sizes& sizes) {
  WEIR_ASSIGN(const Shape shape, Shape::Make({sizes.batch, sizes.samples}));
  return ctx.Allocate(0, shape).status();
}

template <class T>
Result<Kernel> MakeMultinomial(KernelSetup& setup) {
  WEIR_ASSIGN(std::shared_ptr<NodeGenerator> generator, NodeGenerator::Make(setup));
  return Kernel::Sync([generator](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const Sizes sizes, CheckInputs(ctx));
    WEIR_TRY(AllocateDraws(ctx, sizes));
    if (ctx.output(0).num_elements() == 0) return OkStatus();
    const uint64_t per_row = static_cast<uint64_t>(sizes.samples + 3) / 4 * 4 * 2;
    return Draw<T>(ctx, sizes, generator->Reserve(static_cast<uint64_t>(sizes.batch) * per_row * kReservedPerOutput));
  });
}

template <class T>
Result<Kernel> MakeStatelessMultinomial(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const Sizes sizes, CheckInputs(ctx));
    WEIR_ASSIGN(const Philox start, GeneratorFromSeed(ctx.input(2)));
    WEIR_TRY(AllocateDraws(ctx, sizes));
    if (ctx.output(0).num_elements() == 0) return OkStatus();
    return Draw<T>(ctx, sizes, start);
  });
}

Status MultinomialShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape logits, ctx.WithRank(0, 2));
  WEIR_TRY(ctx.WithRank(1, 0).status());
  if (ctx.num_inputs() > 2) {
    WEIR_ASSIGN(const PartialShape seed, ctx.WithRank(2, 1));
    WEIR_TRY(MergeDims(seed[0], 2).status());
  }
  const std::optional<int64_t> samples = ConstantInt(ctx, 1);
  if (samples && *samples < 0) return InvalidArgument("num_samples should be nonnegative, got {}", *samples);
  ctx.set_output(0, PartialShape{logits[0], samples.value_or(kUnknownDim)});
  return OkStatus();
}

}  // namespace

void RegisterRandomMultinomial(OpRegistry& registry) {
  registry.Add({
      .name = "Multinomial",
      .signature = "logits: T, num_samples: int32 -> output: output_dtype",
      .attrs = {"seed: int = 0", "seed2: int = 0", "T: realnumbertype", "output_dtype: {int32, int64} = DT_INT64"},
      .shape = MultinomialShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernels<half, bfloat16, float, double>(WEIR_FOR_TYPE(MakeMultinomial)),
      .traits = kComputesOnly,
      .stateful = true,
  });
  registry.Add({
      .name = "StatelessMultinomial",
      .signature = "logits: T, num_samples: int32, seed: Tseed -> output: output_dtype",
      .attrs = {"T: realnumbertype", "Tseed: {int32, int64} = DT_INT64", "output_dtype: {int32, int64} = DT_INT64"},
      .shape = MultinomialShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernels<half, bfloat16, float, double>(WEIR_FOR_TYPE(MakeStatelessMultinomial)),
  });
}

}  // namespace weir::ops

#include "ops/math/random_fill.h"

#include "base/rng.h"

namespace weir::ops {

Result<std::shared_ptr<NodeGenerator>> NodeGenerator::Make(KernelSetup& setup) {
  WEIR_ASSIGN(const int64_t seed, setup.Attr<int64_t>("seed"));
  WEIR_ASSIGN(const int64_t seed2, setup.Attr<int64_t>("seed2"));
  if (seed == 0 && seed2 == 0) return std::make_shared<NodeGenerator>(Philox(RealRng().Next64(), RealRng().Next64()));
  return std::make_shared<NodeGenerator>(Philox(static_cast<uint64_t>(seed), static_cast<uint64_t>(seed2)));
}

Philox NodeGenerator::Reserve(uint64_t blocks) {
  std::lock_guard lock(mu_);
  const Philox start = philox_;
  philox_.Skip(blocks);
  return start;
}

Result<Philox> GeneratorFromSeed(const Tensor& seed) {
  if (seed.rank() != 1 || seed.dim(0) != 2) return InvalidArgument("seed must have shape [2], not {}", seed.shape());
  const auto first = static_cast<uint64_t>(seed.Int(0));
  const auto second = static_cast<uint64_t>(seed.Int(1));
  auto low = [](uint64_t x) { return static_cast<uint32_t>(x); };
  auto high = [](uint64_t x) { return static_cast<uint32_t>(x >> 32); };
  // Mix once, so that seeds that differ in one bit give unrelated sequences.
  Philox mixer({low(first), high(first), low(second), high(second)}, Philox::Key{0x3ec8f720, 0x02461e29});
  const Philox::Block mixed = mixer();
  return Philox({0, 0, mixed[2], mixed[3]}, {mixed[0], mixed[1]});
}

ShapeFn RandomShape(int seed) {
  return [seed](ShapeContext& ctx) -> Status {
    WEIR_TRY(ctx.WithRank(0, 1).status());
    for (int i = 1; i < ctx.num_inputs(); ++i) {
      WEIR_ASSIGN(const PartialShape shape, ctx.WithRank(i, i == seed ? 1 : 0));
      if (i == seed) WEIR_TRY(MergeDims(shape[0], 2).status());
    }
    WEIR_ASSIGN(PartialShape output, ShapeOfInputValue(ctx, 0));
    ctx.set_output(0, std::move(output));
    return OkStatus();
  };
}

}  // namespace weir::ops

// SdcaFprint: 128-bit hashes of strings, for the keys of SDCA's hash tables.
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/string/hash.h"

namespace weir::ops {
namespace {

Result<Kernel> MakeSdcaFprint(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    const Tensor& in = ctx.input(0);
    if (in.rank() != 1) return InvalidArgument("Input must be a vector, got shape {}", in.shape());
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, Shape{in.dim(0), 2}));
    int64_t* to = out.data<int64_t>();
    return ctx.ParallelFor(in.dim(0), 50, [&](int64_t i) {
      const auto [low, high] = FarmFingerprint128(in.data<std::string>()[i]);
      // Tables use the keys 0 and 1 for empty slots.
      to[2 * i] = static_cast<int64_t>(low >= 2 ? low : low + ~uint64_t{1});
      to[2 * i + 1] = static_cast<int64_t>(high);
    });
  });
}

Status SdcaFprintShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape in, ctx.WithRank(0, 1));
  ctx.set_output(0, PartialShape{in.dim(0), 2});
  return OkStatus();
}

}  // namespace

void RegisterSdcaFprint(OpRegistry& registry) {
  registry.Add({
      .name = "SdcaFprint",
      .signature = "input: string -> output: int64",
      .shape = SdcaFprintShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeSdcaFprint),
  });
}

}  // namespace weir::ops

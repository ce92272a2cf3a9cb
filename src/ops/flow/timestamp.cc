// Timestamp: the wall clock time in seconds since the epoch.
#include "base/clock.h"
#include "op/gradient_context.h"
#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"

namespace weir::ops {
namespace {

Result<Kernel> MakeTimestamp(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           ctx.set_output(0, Tensor::Scalar(static_cast<double>(RealClock().NowMicros()) / 1e6));
           return OkStatus();
         })
      .Cheap();
}

}  // namespace

void RegisterTimestamp(OpRegistry& registry) {
  registry.Add({
      .name = "Timestamp",
      .signature = "-> ts: double",
      .shape = ScalarOutputs(),
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeTimestamp),
      .traits = kNeverBlocks,
      .stateful = true,
  });
}

}  // namespace weir::ops

// SdcaShrinkL1: moves weights toward zero by l1 / l2, the step of L1 regularization in stochastic dual coordinate
// ascent.
#include <cmath>

#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/state/variable_access.h"

namespace weir::ops {
namespace {

Result<Kernel> MakeSdcaShrink(KernelSetup& setup) {
  WEIR_ASSIGN(const float l1, setup.Attr<float>("l1"));
  WEIR_ASSIGN(const float l2, setup.Attr<float>("l2"));
  return Kernel::Sync([shrinkage = l1 / l2](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(VariableUpdate update, VariableUpdate::Begin(ctx, HandleKind::kRef, ctx.num_inputs(), Extent::kDense));
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      const Tensor& weights = update.value(i);
      float* w = weights.data<float>();
      WEIR_TRY(ctx.ParallelFor(weights.num_elements(), 1, [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; ++k) {
          const auto sign = static_cast<float>((w[k] > 0) - (w[k] < 0));
          w[k] = sign * std::max(std::fabs(w[k]) - shrinkage, 0.0f);
        }
      }));
    }
    return OkStatus();
  });
}

}  // namespace

void RegisterSdcaShrink(OpRegistry& registry) {
  registry.Add({
      .name = "SdcaShrinkL1",
      .signature = "weights: num_features * Ref(float) ->",
      .attrs = {"num_features: int >= 0", "l1: float", "l2: float"},
      .shape = NoOutputs(),
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeSdcaShrink),
      .traits = kVariableUpdate,
  });
}

}  // namespace weir::ops

// The ops of this folder, one line per file.
#include "ops/register.h"

namespace weir::ops {

void RegisterActivations(OpRegistry& registry);
void RegisterAvgPool(OpRegistry& registry);
void RegisterBiasAdd(OpRegistry& registry);
void RegisterCandidateSamplers(OpRegistry& registry);
void RegisterConvolution(OpRegistry& registry);
void RegisterFusedBatchNorm(OpRegistry& registry);
void RegisterLrn(OpRegistry& registry);
void RegisterMaxPool(OpRegistry& registry);
void RegisterSoftmax(OpRegistry& registry);

void RegisterNnOps(OpRegistry& registry) {
  RegisterActivations(registry);
  RegisterAvgPool(registry);
  RegisterBiasAdd(registry);
  RegisterCandidateSamplers(registry);
  RegisterConvolution(registry);
  RegisterFusedBatchNorm(registry);
  RegisterLrn(registry);
  RegisterMaxPool(registry);
  RegisterSoftmax(registry);
}

}  // namespace weir::ops

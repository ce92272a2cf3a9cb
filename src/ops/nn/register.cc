// The ops of this folder, one line per file.
#include "ops/register.h"

namespace weir::ops {

void RegisterActivations(OpRegistry& registry);
void RegisterAvgPool(OpRegistry& registry);
void RegisterBiasAdd(OpRegistry& registry);
void RegisterCandidateSamplers(OpRegistry& registry);
void RegisterConvolution(OpRegistry& registry);
void RegisterCtcDecoders(OpRegistry& registry);
void RegisterCtcLoss(OpRegistry& registry);
void RegisterDilation(OpRegistry& registry);
void RegisterFusedBatchNorm(OpRegistry& registry);
void RegisterGatherTree(OpRegistry& registry);
void RegisterGruBlock(OpRegistry& registry);
void RegisterLrn(OpRegistry& registry);
void RegisterLstmBlock(OpRegistry& registry);
void RegisterMaxPool(OpRegistry& registry);
void RegisterQuantized(OpRegistry& registry);
void RegisterSoftmax(OpRegistry& registry);

void RegisterNnOps(OpRegistry& registry) {
  RegisterActivations(registry);
  RegisterAvgPool(registry);
  RegisterBiasAdd(registry);
  RegisterCandidateSamplers(registry);
  RegisterConvolution(registry);
  RegisterCtcDecoders(registry);
  RegisterCtcLoss(registry);
  RegisterDilation(registry);
  RegisterFusedBatchNorm(registry);
  RegisterGatherTree(registry);
  RegisterGruBlock(registry);
  RegisterLrn(registry);
  RegisterLstmBlock(registry);
  RegisterMaxPool(registry);
  RegisterQuantized(registry);
  RegisterSoftmax(registry);
}

}  // namespace weir::ops

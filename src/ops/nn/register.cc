// The ops of this folder, one line per file.
#include "ops/register.h"

namespace weir::ops {

void RegisterActivations(OpRegistry& registry);
void RegisterBiasAdd(OpRegistry& registry);
void RegisterCandidateSamplers(OpRegistry& registry);
void RegisterLrn(OpRegistry& registry);
void RegisterSoftmax(OpRegistry& registry);

void RegisterNnOps(OpRegistry& registry) {
  RegisterActivations(registry);
  RegisterBiasAdd(registry);
  RegisterCandidateSamplers(registry);
  RegisterLrn(registry);
  RegisterSoftmax(registry);
}

}  // namespace weir::ops

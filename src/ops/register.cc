#include "ops/register.h"

#include "ops/ragged/register.h"

namespace weir::ops {

void RegisterAllOps(OpRegistry& registry) {
  RegisterMathOps(registry);
  RegisterArrayOps(registry);
  RegisterNnOps(registry);
  RegisterStateOps(registry);
  RegisterFlowOps(registry);
  RegisterQueueOps(registry);
  RegisterDataOps(registry);
  RegisterStringOps(registry);
  RegisterIoOps(registry);
  RegisterCommOps(registry);
  RegisterImageOps(registry);
  RegisterSignalOps(registry);
  RegisterRaggedOps(registry);
}

}  // namespace weir::ops

#include "ops/register.h"

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
}

}  // namespace weir::ops

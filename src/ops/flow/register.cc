// The ops of this folder, one line per file.
#include "ops/register.h"

namespace weir::ops {

void RegisterAssert(OpRegistry& registry);
void RegisterLoop(OpRegistry& registry);
void RegisterNoOp(OpRegistry& registry);
void RegisterSwitch(OpRegistry& registry);
void RegisterTimestamp(OpRegistry& registry);

void RegisterFlowOps(OpRegistry& registry) {
  RegisterAssert(registry);
  RegisterLoop(registry);
  RegisterNoOp(registry);
  RegisterSwitch(registry);
  RegisterTimestamp(registry);
}

}  // namespace weir::ops

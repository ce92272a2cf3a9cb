// The ops of this folder, one line per file.
#include "ops/register.h"

namespace weir::ops {

void RegisterAssert(OpRegistry& registry);
void RegisterFunctionCall(OpRegistry& registry);
void RegisterLoop(OpRegistry& registry);
void RegisterNoOp(OpRegistry& registry);
void RegisterPyFunc(OpRegistry& registry);
void RegisterSessionTensor(OpRegistry& registry);
void RegisterStack(OpRegistry& registry);
void RegisterSwitch(OpRegistry& registry);
void RegisterTensorArray(OpRegistry& registry);
void RegisterTimestamp(OpRegistry& registry);

void RegisterFlowOps(OpRegistry& registry) {
  RegisterAssert(registry);
  RegisterFunctionCall(registry);
  RegisterLoop(registry);
  RegisterNoOp(registry);
  RegisterPyFunc(registry);
  RegisterSessionTensor(registry);
  RegisterStack(registry);
  RegisterSwitch(registry);
  RegisterTensorArray(registry);
  RegisterTimestamp(registry);
}

}  // namespace weir::ops

// The ops of this folder, one line per file.
#include "ops/register.h"

namespace weir::ops {

void RegisterApply(OpRegistry& registry);
void RegisterAssign(OpRegistry& registry);
void RegisterInitializeTableFromFile(OpRegistry& registry);
void RegisterLookup(OpRegistry& registry);
void RegisterResourceVariables(OpRegistry& registry);
void RegisterScatter(OpRegistry& registry);
void RegisterSdcaShrink(OpRegistry& registry);
void RegisterVariables(OpRegistry& registry);

void RegisterStateOps(OpRegistry& registry) {
  RegisterApply(registry);
  RegisterAssign(registry);
  RegisterInitializeTableFromFile(registry);
  RegisterLookup(registry);
  RegisterResourceVariables(registry);
  RegisterScatter(registry);
  RegisterSdcaShrink(registry);
  RegisterVariables(registry);
}

}  // namespace weir::ops

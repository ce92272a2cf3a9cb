// The ops of this folder, one line per file.
#include "ops/register.h"

namespace weir::ops {

void RegisterCopyMemory(OpRegistry& registry);
void RegisterSendRecv(OpRegistry& registry);

void RegisterCommOps(OpRegistry& registry) {
  RegisterCopyMemory(registry);
  RegisterSendRecv(registry);
}

}  // namespace weir::ops

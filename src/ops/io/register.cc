// The ops of this folder, one line per file.
#include "ops/register.h"

namespace weir::ops {

void RegisterRestore(OpRegistry& registry);
void RegisterSave(OpRegistry& registry);
void RegisterShardedFilename(OpRegistry& registry);

void RegisterIoOps(OpRegistry& registry) {
  RegisterRestore(registry);
  RegisterSave(registry);
  RegisterShardedFilename(registry);
}

}  // namespace weir::ops

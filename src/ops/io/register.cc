// The ops of this folder, one line per file.
#include "ops/register.h"

namespace weir::ops {

void RegisterMediaSummaries(OpRegistry& registry);
void RegisterRestore(OpRegistry& registry);
void RegisterSave(OpRegistry& registry);
void RegisterShardedFilename(OpRegistry& registry);
void RegisterSummaries(OpRegistry& registry);

void RegisterIoOps(OpRegistry& registry) {
  RegisterMediaSummaries(registry);
  RegisterRestore(registry);
  RegisterSave(registry);
  RegisterShardedFilename(registry);
  RegisterSummaries(registry);
}

}  // namespace weir::ops

// The ops of this folder, one line per file.
#include "ops/register.h"

namespace weir::ops {

void RegisterAccumulators(OpRegistry& registry);
void RegisterMutexes(OpRegistry& registry);
void RegisterQueues(OpRegistry& registry);
void RegisterStagingAreas(OpRegistry& registry);
void RegisterWorkQueues(OpRegistry& registry);

void RegisterQueueOps(OpRegistry& registry) {
  RegisterAccumulators(registry);
  RegisterMutexes(registry);
  RegisterQueues(registry);
  RegisterStagingAreas(registry);
  RegisterWorkQueues(registry);
}

}  // namespace weir::ops

// The ops of this folder, one line per file.
#include "ops/register.h"

namespace weir::ops {

void RegisterBatchDatasets(OpRegistry& registry);
void RegisterCacheDataset(OpRegistry& registry);
void RegisterDataReductions(OpRegistry& registry);
void RegisterDataSelections(OpRegistry& registry);
void RegisterDataSources(OpRegistry& registry);
void RegisterFileDatasets(OpRegistry& registry);
void RegisterFlatMapDatasets(OpRegistry& registry);
void RegisterIterators(OpRegistry& registry);
void RegisterMapDataset(OpRegistry& registry);
void RegisterParallelMapDatasets(OpRegistry& registry);
void RegisterPrefetchDataset(OpRegistry& registry);
void RegisterShuffleDatasets(OpRegistry& registry);
void RegisterWindowDataset(OpRegistry& registry);

void RegisterDataOps(OpRegistry& registry) {
  RegisterDataSources(registry);
  RegisterFileDatasets(registry);
  RegisterMapDataset(registry);
  RegisterBatchDatasets(registry);
  RegisterDataSelections(registry);
  RegisterFlatMapDatasets(registry);
  RegisterParallelMapDatasets(registry);
  RegisterPrefetchDataset(registry);
  RegisterShuffleDatasets(registry);
  RegisterWindowDataset(registry);
  RegisterCacheDataset(registry);
  RegisterDataReductions(registry);
  RegisterIterators(registry);
}

}  // namespace weir::ops

// The ops of this folder, one line per file.
#include "ops/register.h"

namespace weir::ops {

void RegisterBatchDatasets(OpRegistry& registry);
void RegisterCacheDataset(OpRegistry& registry);
void RegisterCardinality(OpRegistry& registry);
void RegisterChooseDatasets(OpRegistry& registry);
void RegisterDataReductions(OpRegistry& registry);
void RegisterDataSelections(OpRegistry& registry);
void RegisterDataSources(OpRegistry& registry);
void RegisterFileDatasets(OpRegistry& registry);
void RegisterFlatMapDatasets(OpRegistry& registry);
void RegisterGroupDatasets(OpRegistry& registry);
void RegisterIteratorState(OpRegistry& registry);
void RegisterIterators(OpRegistry& registry);
void RegisterMapDataset(OpRegistry& registry);
void RegisterOptionals(OpRegistry& registry);
void RegisterParallelMapDatasets(OpRegistry& registry);
void RegisterPrefetchDataset(OpRegistry& registry);
void RegisterScanDatasets(OpRegistry& registry);
void RegisterShuffleDatasets(OpRegistry& registry);
void RegisterStats(OpRegistry& registry);
void RegisterToRecordFile(OpRegistry& registry);
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
  RegisterGroupDatasets(registry);
  RegisterScanDatasets(registry);
  RegisterStats(registry);
  RegisterChooseDatasets(registry);
  RegisterCardinality(registry);
  RegisterDataReductions(registry);
  RegisterIterators(registry);
  RegisterIteratorState(registry);
  RegisterOptionals(registry);
  RegisterToRecordFile(registry);
}

}  // namespace weir::ops

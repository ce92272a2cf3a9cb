// The ops of this folder, one line per file.
#include "ops/register.h"

namespace weir::ops {

void RegisterDecodeJsonExample(OpRegistry& registry);
void RegisterMediaSummaries(OpRegistry& registry);
void RegisterParseExample(OpRegistry& registry);
void RegisterParseSequenceExample(OpRegistry& registry);
void RegisterReaders(OpRegistry& registry);
void RegisterRestore(OpRegistry& registry);
void RegisterSave(OpRegistry& registry);
void RegisterShardedFilename(OpRegistry& registry);
void RegisterSparseMap(OpRegistry& registry);
void RegisterSparseSerialize(OpRegistry& registry);
void RegisterSummaries(OpRegistry& registry);
void RegisterTensorStrings(OpRegistry& registry);

void RegisterIoOps(OpRegistry& registry) {
  RegisterDecodeJsonExample(registry);
  RegisterMediaSummaries(registry);
  RegisterParseExample(registry);
  RegisterParseSequenceExample(registry);
  RegisterReaders(registry);
  RegisterRestore(registry);
  RegisterSave(registry);
  RegisterShardedFilename(registry);
  RegisterSparseMap(registry);
  RegisterSparseSerialize(registry);
  RegisterSummaries(registry);
  RegisterTensorStrings(registry);
}

}  // namespace weir::ops

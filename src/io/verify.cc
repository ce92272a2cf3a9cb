#include "io/verify.h"

#include "io/bundle_index.h"
#include "io/bundle_writer.h"
#include "io/checkpoint_reader.h"

namespace weir::io {
namespace {

// Checks that the data files of a bundle are as long as its index requires. Returns their total size.
Result<uint64_t> CheckDataFiles(Env& env, const std::string& prefix) {
  WEIR_ASSIGN(const BundleIndex index, ReadBundleIndex(env, prefix));
  std::map<int, uint64_t> sizes;
  uint64_t total = 0;
  for (const auto& [name, entry] : index.entries) {
    if (!entry.slices().empty()) continue;
    const std::string path = BundleDataName(prefix, entry.shard_id(), index.num_shards);
    if (!sizes.contains(entry.shard_id())) {
      WEIR_ASSIGN(const FileInfo info, env.Stat(path));
      sizes[entry.shard_id()] = info.size;
      total += info.size;
    }
    const uint64_t size = sizes[entry.shard_id()];
    if (entry.offset() < 0 || entry.size() < 0 || static_cast<uint64_t>(entry.offset()) > size ||
        static_cast<uint64_t>(entry.size()) > size - static_cast<uint64_t>(entry.offset()))
      return DataLoss("{}: the value at offset {} is beyond the end of the file ({} bytes)", path, entry.offset(),
                      size);
  }
  return total;
}

}  // namespace

Status VerifyCheckpoint(Env& env, const std::string& prefix) {
  uint64_t bytes = 0;
  if (env.Exists(BundleIndexName(prefix))) {
    WEIR_ASSIGN(bytes, CheckDataFiles(env, prefix));
  } else if (env.Exists(prefix)) {
    WEIR_ASSIGN(const FileInfo info, env.Stat(prefix));
    bytes = info.size;
  }
  WEIR_ASSIGN(const std::unique_ptr<CheckpointReader> reader, OpenCheckpoint(env, prefix));
  if (bytes > kMaxVerifiedBytes) return OkStatus();
  for (const auto& [name, tensor] : reader->tensors()) WEIR_TRY(reader->Read(name).status());
  return OkStatus();
}

}  // namespace weir::io

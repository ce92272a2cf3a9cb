// Tables: immutable files of sorted keys with values, in LevelDB's format as used by checkpoints.
//   file   := data block*, meta index block (empty), index block, footer
//   block  := entry*, restart offsets (fixed32 each), their count (fixed32), type (0 plain, 1 snappy), masked crc32c
//   entry  := shared, unshared, value size (varints), unshared end of the key, value; shared is 0 at a restart
//   footer := handles (offset, size: varints) of meta index and index, zeros up to 40 bytes, magic number (fixed64)
#ifndef WEIR_IO_TABLE_H_
#define WEIR_IO_TABLE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "base/function_ref.h"

namespace weir::io {

struct TableOptions {
  size_t block_size = size_t{256} << 10;  // approximate size of a data block
  int restart_interval = 16;
  bool snappy = false;
};

// The place of a block in the file.
struct BlockHandle {
  uint64_t offset = 0;
  uint64_t size = 0;
};

// Not thread-safe. The caller owns the file, and syncs and closes it.
class TableWriter final {
 public:
  explicit TableWriter(WritableFile& file, TableOptions options = {}) : file_(file), options_(options) {}
  // Fails unless the key is greater than the previous one.
  Status Add(std::string_view key, std::string_view value);
  // Writes the rest of the table. Add must not be called afterwards.
  Status Finish();

 private:
  struct Block {
    std::string data;
    std::string last_key;
    std::vector<uint32_t> restarts = {0};
    int since_restart = 0;
    bool empty() const { return data.empty(); }
    void Add(std::string_view key, std::string_view value, int restart_interval);
    std::string Take();
  };
  Result<BlockHandle> WriteBlock(std::string contents);
  Status FlushBlock();

  WritableFile& file_;
  const TableOptions options_;
  Block block_;
  Block index_;
  std::string last_key_;
  bool any_ = false;
  uint64_t offset_ = 0;
};

// Thread-safe. All sizes in the file are checked before they are used. Damage is DataLoss with file and offset.
class Table final {
 public:
  static Result<std::unique_ptr<Table>> Open(Env& env, const std::string& path);

  const std::string& path() const { return path_; }
  // Returns nothing if the table does not have the key.
  Result<std::optional<std::string>> Find(std::string_view key) const;
  // Visits entries in order, starting at the first key >= `from`, until `visit` returns false.
  using Visit = FunctionRef<Result<bool>(std::string_view key, std::string_view value)>;
  Status Scan(std::string_view from, Visit visit) const;

 private:
  Table(std::string path, std::unique_ptr<ReadableFile> file, uint64_t size)
      : path_(std::move(path)), file_(std::move(file)), file_size_(size) {}
  Status Damaged(uint64_t offset, std::string_view what) const;
  Result<BlockHandle> TakeHandle(std::string_view& from, uint64_t where) const;
  Result<std::string> ReadBlock(const BlockHandle& handle) const;
  Status ScanBlock(const std::string& block, uint64_t offset, Visit visit) const;

  const std::string path_;
  const std::unique_ptr<ReadableFile> file_;
  const uint64_t file_size_;
  std::string index_;
  uint64_t index_offset_ = 0;
};

}  // namespace weir::io

#endif  // WEIR_IO_TABLE_H_

#include "io/table.h"

#include <snappy.h>

#include <algorithm>

#include "base/crc32c.h"
#include "io/coding.h"

namespace weir::io {
namespace {

constexpr uint64_t kMagic = 0xdb4775248b80fb57;
constexpr size_t kFooterSize = 48;
constexpr size_t kTrailerSize = 5;  // type and checksum
constexpr char kPlain = 0;
constexpr char kSnappy = 1;
// Limit of uncompressed bytes per compressed byte. A block that claims more is damaged.
constexpr uint64_t kSnappyExpansion = 32;

size_t CommonPrefix(std::string_view a, std::string_view b) {
  const size_t limit = std::min(a.size(), b.size());
  return static_cast<size_t>(std::mismatch(a.begin(), a.begin() + static_cast<ptrdiff_t>(limit), b.begin()).first -
                             a.begin());
}

}  // namespace

void TableWriter::Block::Add(std::string_view key, std::string_view value, int restart_interval) {
  size_t shared = 0;
  if (since_restart < restart_interval) {
    shared = CommonPrefix(last_key, key);
  } else {
    restarts.push_back(static_cast<uint32_t>(data.size()));
    since_restart = 0;
  }
  if (data.empty()) shared = 0;
  PutVarint(data, shared);
  PutVarint(data, key.size() - shared);
  PutVarint(data, value.size());
  data.append(key.substr(shared));
  data.append(value);
  last_key = key;
  ++since_restart;
}

std::string TableWriter::Block::Take() {
  std::string contents = std::move(data);
  for (const uint32_t restart : restarts) PutFixed32(contents, restart);
  PutFixed32(contents, static_cast<uint32_t>(restarts.size()));
  *this = Block();
  return contents;
}

Result<BlockHandle> TableWriter::WriteBlock(std::string contents) {
  if (contents.size() > UINT32_MAX) return InvalidArgument("a table's entry of {} bytes is too large", contents.size());
  char type = kPlain;
  if (options_.snappy) {
    std::string packed;
    snappy::Compress(contents.data(), contents.size(), &packed);
    if (packed.size() < contents.size() - contents.size() / 8) {
      contents = std::move(packed);
      type = kSnappy;
    }
  }
  const BlockHandle handle{.offset = offset_, .size = contents.size()};
  contents.push_back(type);
  PutFixed32(contents, crc32c::Mask(crc32c::Value(contents)));
  WEIR_TRY(file_.Append(contents));
  offset_ += contents.size();
  return handle;
}

Status TableWriter::FlushBlock() {
  if (block_.empty()) return OkStatus();
  WEIR_ASSIGN(const BlockHandle handle, WriteBlock(block_.Take()));
  std::string value;
  PutVarint(value, handle.offset);
  PutVarint(value, handle.size);
  index_.Add(last_key_, value, /*restart_interval=*/1);
  return OkStatus();
}

Status TableWriter::Add(std::string_view key, std::string_view value) {
  if (any_ && key <= last_key_) return InvalidArgument("table keys out of order: '{}' after '{}'", key, last_key_);
  block_.Add(key, value, options_.restart_interval);
  last_key_ = key;
  any_ = true;
  return block_.data.size() >= options_.block_size ? FlushBlock() : OkStatus();
}

Status TableWriter::Finish() {
  WEIR_TRY(FlushBlock());
  WEIR_ASSIGN(const BlockHandle meta, WriteBlock(Block().Take()));
  WEIR_ASSIGN(const BlockHandle index, WriteBlock(index_.Take()));
  std::string footer;
  for (const BlockHandle& handle : {meta, index}) {
    PutVarint(footer, handle.offset);
    PutVarint(footer, handle.size);
  }
  footer.resize(kFooterSize - 8);
  PutFixed64(footer, kMagic);
  return file_.Append(footer);
}

Status Table::Damaged(uint64_t offset, std::string_view what) const {
  return DataLoss("{}: damaged table at offset {}: {}", path_, offset, what);
}

Result<BlockHandle> Table::TakeHandle(std::string_view& from, uint64_t where) const {
  BlockHandle handle;
  if (!TakeVarint(from, &handle.offset) || !TakeVarint(from, &handle.size))
    return Damaged(where, "a block handle cannot be read");
  if (handle.offset > file_size_ || handle.size > file_size_ - handle.offset ||
      kTrailerSize > file_size_ - handle.offset - handle.size)
    return Damaged(where, fmt::format("a block of {} bytes at {} is beyond the end of the file ({} bytes)", handle.size,
                                      handle.offset, file_size_));
  return handle;
}

Result<std::string> Table::ReadBlock(const BlockHandle& handle) const {
  std::string block(handle.size + kTrailerSize, '\0');
  WEIR_ASSIGN(const size_t got, file_->Read(handle.offset, block.size(), block.data()));
  if (got < block.size()) return Damaged(handle.offset, "the file has become shorter");
  const uint32_t stored = crc32c::Unmask(Fixed32(block.data() + handle.size + 1));
  if (stored != crc32c::Value(block.data(), handle.size + 1)) return Damaged(handle.offset, "wrong checksum");
  const char type = block[handle.size];
  block.resize(handle.size);
  if (type == kPlain) return block;
  if (type != kSnappy) return Damaged(handle.offset, fmt::format("unknown block type {}", int{type}));
  size_t size = 0;
  if (!snappy::GetUncompressedLength(block.data(), block.size(), &size) || size > (block.size() + 1) * kSnappyExpansion)
    return Damaged(handle.offset, "a compressed block of an impossible size");
  std::string plain(size, '\0');
  if (!snappy::RawUncompress(block.data(), block.size(), plain.data()))
    return Damaged(handle.offset, "a compressed block cannot be expanded");
  return plain;
}

Status Table::ScanBlock(const std::string& block, uint64_t offset, Visit visit) const {
  if (block.size() < 4) return Damaged(offset, "a block without restarts");
  const uint64_t restarts = Fixed32(block.data() + block.size() - 4);
  if (restarts > (block.size() - 4) / 4) return Damaged(offset, "more restarts than fit into the block");
  std::string_view entries(block.data(), block.size() - 4 - 4 * restarts);
  std::string key;
  while (!entries.empty()) {
    uint64_t shared = 0;
    uint64_t unshared = 0;
    uint64_t size = 0;
    if (!TakeVarint(entries, &shared) || !TakeVarint(entries, &unshared) || !TakeVarint(entries, &size) ||
        shared > key.size() || unshared > entries.size() || size > entries.size() - unshared)
      return Damaged(offset, "an entry does not fit into its block");
    key.resize(shared);
    key.append(entries.substr(0, unshared));
    const std::string_view value = entries.substr(unshared, size);
    entries.remove_prefix(unshared + size);
    WEIR_ASSIGN(const bool more, visit(key, value));
    if (!more) return OkStatus();
  }
  return OkStatus();
}

Result<std::unique_ptr<Table>> Table::Open(Env& env, const std::string& path) {
  WEIR_ASSIGN(std::unique_ptr<ReadableFile> file, env.OpenRead(path));
  WEIR_ASSIGN(const uint64_t size, file->Size());
  std::unique_ptr<Table> table(new Table(path, std::move(file), size));
  if (size < kFooterSize)
    return DataLoss("{}: not a table: it has {} bytes, fewer than a table's footer ({})", path, size, kFooterSize);
  std::string footer(kFooterSize, '\0');
  const uint64_t where = size - kFooterSize;
  WEIR_ASSIGN(const size_t got, table->file_->Read(where, kFooterSize, footer.data()));
  if (got < kFooterSize || Fixed64(footer.data() + kFooterSize - 8) != kMagic)
    return DataLoss("{}: not a table (wrong magic number at offset {}); perhaps it is in another format", path,
                    size - 8);
  std::string_view handles(footer.data(), kFooterSize - 8);
  WEIR_TRY(table->TakeHandle(handles, where).status());
  WEIR_ASSIGN(const BlockHandle index, table->TakeHandle(handles, where));
  table->index_offset_ = index.offset;
  WEIR_ASSIGN(table->index_, table->ReadBlock(index));
  return table;
}

Status Table::Scan(std::string_view from, Visit visit) const {
  bool more = true;
  std::string last;
  bool any = false;
  return ScanBlock(index_, index_offset_, [&](std::string_view limit, std::string_view value) -> Result<bool> {
    if (limit < from) return true;
    WEIR_ASSIGN(const BlockHandle handle, TakeHandle(value, index_offset_));
    WEIR_ASSIGN(const std::string block, ReadBlock(handle));
    WEIR_TRY(ScanBlock(block, handle.offset, [&](std::string_view key, std::string_view found) -> Result<bool> {
      if (any && key <= last) return Damaged(handle.offset, "keys are out of order");
      last = key;
      any = true;
      if (key < from) return true;
      WEIR_ASSIGN(more, visit(key, found));
      return more;
    }));
    return more;
  });
}

Result<std::optional<std::string>> Table::Find(std::string_view key) const {
  std::optional<std::string> result;
  WEIR_TRY(Scan(key, [&](std::string_view found, std::string_view value) -> Result<bool> {
    if (found == key) result = std::string(value);
    return false;
  }));
  return result;
}

}  // namespace weir::io

// Reading V2 checkpoints. Opening one reads the whole index; data files are opened when a tensor is read.
#include <mutex>

#include "base/crc32c.h"
#include "io/bundle_index.h"
#include "io/bundle_writer.h"
#include "io/checkpoint_reader.h"
#include "io/coding.h"
#include "io/saved_parts.h"
#include "io/table.h"
#include "tensor/tensor_proto.h"

namespace weir::io {
namespace {

using tensorflow::BundleEntryProto;

constexpr int kNewestVersion = 1;
constexpr int kMaxShards = 1 << 20;

// Type and shape of an entry, checked.
Result<SavedTensor> TensorOf(const BundleEntryProto& entry) {
  SavedTensor tensor;
  WEIR_ASSIGN(tensor.dtype, DTypeFromNumber(entry.dtype()));
  WEIR_ASSIGN(const PartialShape shape, weir::FromProto(entry.shape()));
  if (!shape.fully_defined()) return DataLoss("the shape {} is not fully known", shape);
  WEIR_ASSIGN(tensor.shape, Shape::Make(shape.dims()));
  return tensor;
}

class BundleReader final : public CheckpointReader {
 public:
  BundleReader(Env& env, std::string prefix, BundleIndex index)
      : env_(env), prefix_(std::move(prefix)), index_(std::move(index)) {}

  Status FindTensors() {
    for (const auto& [name, entry] : index_.entries) {
      if (name.starts_with('\0')) continue;  // part of a sliced tensor (TensorSlice::Key)
      Result<SavedTensor> tensor = TensorOf(entry);
      if (!tensor.ok())
        return DataLoss("{}: tensor {}: {}", BundleIndexName(prefix_), name, std::string(tensor.status().message()));
      tensors_.emplace(name, *std::move(tensor));
    }
    return OkStatus();
  }

  const std::map<std::string, SavedTensor>& tensors() const override { return tensors_; }

  Result<SavedTensor> Find(const std::string& name) const override {
    const auto at = tensors_.find(name);
    if (at == tensors_.end()) return NotFound("Key {} not found in checkpoint {}", name, prefix_);
    return at->second;
  }

  Result<Tensor> Read(const std::string& name) const override {
    WEIR_ASSIGN(const SavedTensor tensor, Find(name));
    const BundleEntryProto& entry = index_.entries.find(name)->second;
    if (!entry.slices().empty()) return ReadSlice(name, TensorSlice::Full(tensor.shape.rank()));
    return ReadEntry(name, entry);
  }

  Result<Tensor> ReadSlice(const std::string& name, const TensorSlice& slice) const override {
    WEIR_ASSIGN(const SavedTensor tensor, Find(name));
    const BundleEntryProto& entry = index_.entries.find(name)->second;
    std::vector<SavedPart> parts;
    if (entry.slices().empty()) {
      const TensorSlice full = TensorSlice::Full(tensor.shape.rank());
      WEIR_ASSIGN(TensorSlice within, full.Within(tensor.shape));
      parts.push_back({.slice = full, .within = std::move(within)});
    }
    for (const auto& proto : entry.slices()) {
      const Status added = AddPart(proto, tensor.shape, 0, parts);
      if (!added.ok())
        return DataLoss("{}: tensor {}: {}", BundleIndexName(prefix_), name, std::string(added.message()));
    }
    return Assemble(name, tensor, slice, parts, [&](const SavedPart& part) -> Result<Tensor> {
      if (entry.slices().empty()) return ReadEntry(name, entry);
      const auto at = index_.entries.find(part.slice.Key(name));
      if (at == index_.entries.end())
        return DataLoss("{}: the part {} of tensor {} is missing", BundleIndexName(prefix_), part.slice.ToString(),
                        name);
      return ReadEntry(name, at->second);
    });
  }

 private:
  Result<const ReadableFile*> DataFile(int shard) const {
    std::lock_guard lock(mutex_);
    std::unique_ptr<ReadableFile>& file = files_[shard];
    if (file == nullptr) {
      Result<std::unique_ptr<ReadableFile>> opened = env_.OpenRead(BundleDataName(prefix_, shard, index_.num_shards));
      if (!opened.ok()) {
        if (opened.status().code() != StatusCode::kNotFound) return opened.status();
        return DataLoss("checkpoint {} is not complete: {}", prefix_, std::string(opened.status().message()));
      }
      file = *std::move(opened);
    }
    return file.get();
  }

  Result<Tensor> ReadEntry(const std::string& name, const BundleEntryProto& entry) const {
    WEIR_ASSIGN(const SavedTensor tensor, TensorOf(entry));
    const std::string path = BundleDataName(prefix_, entry.shard_id(), index_.num_shards);
    const auto damaged = [&](std::string_view what) {
      return DataLoss("{}: tensor {} at offset {}: {}", path, name, entry.offset(), what);
    };
    if (entry.shard_id() < 0 || entry.shard_id() >= index_.num_shards) return damaged("there is no such data file");
    WEIR_ASSIGN(const ReadableFile* file, DataFile(entry.shard_id()));
    WEIR_ASSIGN(const uint64_t file_size, file->Size());
    if (entry.offset() < 0 || entry.size() < 0 || static_cast<uint64_t>(entry.offset()) > file_size ||
        static_cast<uint64_t>(entry.size()) > file_size - static_cast<uint64_t>(entry.offset()))
      return damaged(fmt::format("its {} bytes are beyond the end of the file ({} bytes)", entry.size(), file_size));
    const auto offset = static_cast<uint64_t>(entry.offset());
    const auto size = static_cast<size_t>(entry.size());
    const uint32_t expected = crc32c::Unmask(entry.crc32c());
    if (tensor.dtype == kString) {
      std::string bytes(size, '\0');
      WEIR_ASSIGN(const size_t got, file->Read(offset, size, bytes.data()));
      if (got < size) return damaged("the file was truncated while it was read");
      // The checksum covers the lengths as fixed-size numbers, not as the varints in the file, so ParseStrings computes
      // it.
      uint32_t crc = 0;
      Result<Tensor> strings = ParseStrings(tensor.shape, bytes, &crc);
      if (!strings.ok()) return damaged(std::string(strings.status().message()));
      if (crc != expected) return damaged("wrong checksum");
      return strings;
    }
    if (!IsPlain(tensor.dtype)) return damaged(fmt::format("type {} cannot be read", tensor.dtype));
    WEIR_ASSIGN(const int64_t bytes,
                CheckedMultiply(tensor.shape.num_elements(), static_cast<int64_t>(ElementSize(tensor.dtype))));
    if (bytes != entry.size())
      return damaged(
          fmt::format("it has {} bytes, but {} {} takes {}", entry.size(), tensor.dtype, tensor.shape, bytes));
    WEIR_ASSIGN(Tensor value, Tensor::Allocate(tensor.dtype, tensor.shape));
    WEIR_ASSIGN(const size_t got, file->Read(offset, size, static_cast<char*>(value.raw())));
    if (got < size) return damaged("the file was truncated while it was read");
    if (crc32c::Value(value.raw(), size) != expected) return damaged("wrong checksum");
    return value;
  }

  static Result<Tensor> ParseStrings(const Shape& shape, std::string_view bytes, uint32_t* crc) {
    if (static_cast<uint64_t>(shape.num_elements()) > bytes.size()) return DataLoss("fewer bytes than strings");
    WEIR_ASSIGN(Tensor value, Tensor::Allocate(kString, shape));
    std::vector<uint64_t> lengths;
    for (int64_t i = 0; i < shape.num_elements(); ++i) {
      uint64_t length = 0;
      if (!TakeVarint(bytes, &length)) return DataLoss("the length of string {} cannot be read", i);
      std::string fixed;
      if (length <= UINT32_MAX) {
        PutFixed32(fixed, static_cast<uint32_t>(length));
      } else {
        PutFixed64(fixed, length);
      }
      *crc = crc32c::Extend(*crc, fixed.data(), fixed.size());
      lengths.push_back(length);
    }
    if (bytes.size() < 4 || crc32c::Unmask(Fixed32(bytes.data())) != *crc)
      return DataLoss("wrong checksum of the lengths of its strings");
    *crc = crc32c::Extend(*crc, bytes.data(), 4);
    bytes.remove_prefix(4);
    for (int64_t i = 0; i < shape.num_elements(); ++i) {
      const uint64_t length = lengths[static_cast<size_t>(i)];
      if (length > bytes.size()) return DataLoss("string {} of {} bytes does not fit", i, length);
      value.data<std::string>()[i] = std::string(bytes.substr(0, length));
      *crc = crc32c::Extend(*crc, bytes.data(), length);
      bytes.remove_prefix(length);
    }
    if (!bytes.empty()) return DataLoss("{} bytes too many", bytes.size());
    return value;
  }

  Env& env_;
  const std::string prefix_;
  const BundleIndex index_;
  std::map<std::string, SavedTensor> tensors_;
  mutable std::mutex mutex_;
  mutable std::map<int, std::unique_ptr<ReadableFile>> files_;
};

}  // namespace

Result<BundleIndex> ReadBundleIndex(Env& env, const std::string& prefix) {
  const std::string path = BundleIndexName(prefix);
  WEIR_ASSIGN(const std::unique_ptr<Table> table, Table::Open(env, path));
  BundleIndex index;
  bool has_header = false;
  WEIR_TRY(table->Scan("", [&](std::string_view key, std::string_view value) -> Result<bool> {
    if (key.empty()) {
      tensorflow::BundleHeaderProto header;
      if (!header.ParseFromArray(value.data(), static_cast<int>(value.size())))
        return DataLoss("{}: the header cannot be read", path);
      if (header.endianness() != tensorflow::BundleHeaderProto::LITTLE)
        return Unimplemented("{}: written on a machine with another byte order", path);
      if (header.version().min_consumer() > kNewestVersion)
        return InvalidArgument("{}: needs a reader of version {}, this one has {}", path,
                               header.version().min_consumer(), kNewestVersion);
      if (header.num_shards() < 0 || header.num_shards() > kMaxShards)
        return DataLoss("{}: impossible number of data files: {}", path, header.num_shards());
      index.num_shards = header.num_shards();
      has_header = true;
      return true;
    }
    tensorflow::BundleEntryProto entry;
    if (!entry.ParseFromArray(value.data(), static_cast<int>(value.size())))
      return DataLoss("{}: the entry of tensor {} cannot be read", path, key);
    index.entries.emplace(key, std::move(entry));
    return true;
  }));
  if (!has_header) return DataLoss("{}: not a checkpoint: the table has no checkpoint header", path);
  return index;
}

Result<std::unique_ptr<CheckpointReader>> OpenBundle(Env& env, const std::string& prefix) {
  WEIR_ASSIGN(BundleIndex index, ReadBundleIndex(env, prefix));
  auto reader = std::make_unique<BundleReader>(env, prefix, std::move(index));
  WEIR_TRY(reader->FindTensors());
  return reader;
}

Result<std::unique_ptr<CheckpointReader>> OpenCheckpoint(Env& env, const std::string& prefix) {
  const Status found = env.Stat(BundleIndexName(prefix)).status();
  if (IsDiskFault(found)) return found;
  return found.ok() ? OpenBundle(env, prefix) : OpenSliceTables(env, prefix);
}

std::string DescribeCheckpoint(const CheckpointReader& reader) {
  std::string text;
  for (const auto& [name, tensor] : reader.tensors())
    text += fmt::format("{} ({}) {}\n", name, ProtoTypeName(tensor.dtype), tensor.shape);
  return text;
}

}  // namespace weir::io

#include "io/bundle_writer.h"

#include "base/crc32c.h"
#include "io/bundle_index.h"
#include "io/coding.h"
#include "io/table.h"
#include "tensor/tensor_proto.h"

namespace weir::io {
namespace {

constexpr int kBundleVersion = 1;
constexpr char kReplaced[] = ".replaced";

Status SyncDirectoryOf(Env& env, const std::string& path) { return env.SyncDirectory(std::string(DirectoryOf(path))); }

// Renames files that belong together. The destructor undoes the renames in reverse order unless Keep was called. It
// stops at the first one that cannot be undone.
class Renames final {
 public:
  explicit Renames(Env& env) : env_(env) {}
  ~Renames() {
    for (auto done = done_.rbegin(); done != done_.rend(); ++done)
      if (!env_.Rename(done->second, done->first).ok()) return;  // do not mix files of two checkpoints
  }
  Renames(const Renames&) = delete;
  Renames& operator=(const Renames&) = delete;

  Status Rename(const std::string& from, const std::string& to) {
    WEIR_TRY(env_.Rename(from, to));
    done_.emplace_back(from, to);
    return OkStatus();
  }
  void Keep() { done_.clear(); }

 private:
  Env& env_;
  std::vector<std::pair<std::string, std::string>> done_;
};

// The files of a checkpoint that is being replaced, moved to temporary names. The index is moved first, so that no
// reader sees a checkpoint with half of its files.
class ReplacedFiles final {
 public:
  ReplacedFiles(Env& env, std::string suffix) : env_(env), suffix_(std::move(suffix)) {}

  // No-op if the file does not exist.
  Status MoveAway(const std::string& path, Renames& renames) {
    const Status status = renames.Rename(path, path + suffix_);
    if (status.code() == StatusCode::kNotFound) return OkStatus();
    WEIR_TRY(status);
    moved_.push_back(path + suffix_);
    locks_.push_back(env_.Lock(path + suffix_));
    return OkStatus();
  }
  bool empty() const { return moved_.empty(); }
  // Best effort, with one retry. The next save removes files that remain.
  void Delete() {
    for (const std::string& path : moved_) {
      if (!env_.DeleteFile(path).ok()) env_.DeleteFile(path).IgnoreError();
    }
  }

 private:
  Env& env_;
  const std::string suffix_;
  std::vector<std::string> moved_;
  std::vector<std::unique_ptr<FileLock>> locks_;
};

Status WriteIndex(Env& env, const std::string& path, int num_shards,
                  const std::map<std::string, tensorflow::BundleEntryProto>& entries) {
  WEIR_ASSIGN(const std::unique_ptr<WritableFile> file, env.OpenWrite(path));
  TableWriter table(*file);
  tensorflow::BundleHeaderProto header;
  header.set_num_shards(num_shards);
  header.set_endianness(tensorflow::BundleHeaderProto::LITTLE);
  header.mutable_version()->set_producer(kBundleVersion);
  WEIR_TRY(table.Add("", header.SerializeAsString()));
  for (const auto& [name, entry] : entries) WEIR_TRY(table.Add(name, entry.SerializeAsString()));
  WEIR_TRY(table.Finish());
  WEIR_TRY(file->Sync());
  return file->Close();
}

Status AddEntry(const std::string& name, tensorflow::BundleEntryProto entry, const std::string& prefix,
                std::map<std::string, tensorflow::BundleEntryProto>& entries) {
  const auto [at, added] = entries.emplace(name, entry);
  if (added) return OkStatus();
  tensorflow::BundleEntryProto& known = at->second;
  if (known.slices().empty() || entry.slices().empty())
    return InvalidArgument("Duplicate tensor keyed by {} encountered, when merging prefix: {}", name, prefix);
  if (known.dtype() != entry.dtype() || known.shape().SerializeAsString() != entry.shape().SerializeAsString())
    return InvalidArgument("the parts of tensor {} differ in type or shape, when merging prefix: {}", name, prefix);
  known.mutable_slices()->MergeFrom(entry.slices());
  return OkStatus();
}

}  // namespace

std::string BundleIndexName(const std::string& prefix) { return prefix + ".index"; }
std::string BundleDataName(const std::string& prefix, int shard, int num_shards) {
  return fmt::format("{}.data-{:05}-of-{:05}", prefix, shard, num_shards);
}

Result<std::unique_ptr<BundleWriter>> BundleWriter::Open(Env& env, const std::string& prefix) {
  if (prefix.empty()) return InvalidArgument("a checkpoint needs a name");
  const std::string directory(DirectoryOf(prefix));
  const std::string parent(DirectoryOf(directory));
  if (!directory.empty() && !env.Exists(directory) && (parent.empty() || env.Exists(parent)))
    WEIR_TRY(env.MakeDirectories(directory));
  RemoveStaleTemporaries(env, prefix);
  std::unique_ptr<BundleWriter> writer(new BundleWriter(env, prefix, TemporarySuffix()));
  WEIR_ASSIGN(writer->data_, env.OpenWrite(BundleDataName(prefix, 0, 1) + writer->suffix_));
  return writer;
}

BundleWriter::BundleWriter(Env& env, const std::string& prefix, const std::string& suffix)
    : env_(env), prefix_(prefix), suffix_(suffix), held_data_(env.Lock(BundleDataName(prefix, 0, 1) + suffix)) {}

BundleWriter::~BundleWriter() {
  if (finished_) return;
  data_.reset();
  for (const std::string& name : {BundleDataName(prefix_, 0, 1), BundleIndexName(prefix_)})
    env_.DeleteFile(name + suffix_).IgnoreError();
}

Status BundleWriter::Append(std::string_view bytes) {
  WEIR_TRY(error_);
  error_ = data_->Append(bytes);
  offset_ += bytes.size();
  return error_;
}

// Writes the lengths as varints, their checksum, then the strings. The checksum covers the lengths as fixed-size
// numbers.
Status BundleWriter::AppendStrings(const Tensor& value, uint32_t* crc) {
  std::string lengths;
  for (const std::string& text : value.flat<std::string>()) {
    std::string fixed;
    if (text.size() <= UINT32_MAX) {
      PutFixed32(fixed, static_cast<uint32_t>(text.size()));
    } else {
      PutFixed64(fixed, text.size());
    }
    *crc = crc32c::Extend(*crc, fixed.data(), fixed.size());
    PutVarint(lengths, text.size());
  }
  std::string checksum;
  PutFixed32(checksum, crc32c::Mask(*crc));
  *crc = crc32c::Extend(*crc, checksum.data(), checksum.size());
  WEIR_TRY(Append(lengths));
  WEIR_TRY(Append(checksum));
  for (const std::string& text : value.flat<std::string>()) {
    *crc = crc32c::Extend(*crc, text.data(), text.size());
    WEIR_TRY(Append(text));
  }
  return OkStatus();
}

Status BundleWriter::Add(const std::string& name, const Tensor& value) {
  if (name.empty()) return InvalidArgument("a tensor in a checkpoint needs a name");
  if (entries_.contains(name)) return InvalidArgument("Adding duplicate key: {}", name);
  tensorflow::BundleEntryProto entry;
  entry.set_dtype(static_cast<tensorflow::DataType>(value.dtype()));
  weir::ToProto(value.shape(), entry.mutable_shape());
  entry.set_offset(static_cast<int64_t>(offset_));
  const uint64_t begin = offset_;
  uint32_t crc = 0;
  if (value.dtype() == kString) {
    WEIR_TRY(AppendStrings(value, &crc));
  } else if (IsPlain(value.dtype())) {
    const std::string_view bytes(static_cast<const char*>(value.raw()), value.num_bytes());
    crc = crc32c::Value(bytes);
    WEIR_TRY(Append(bytes));
  } else {
    return Unimplemented("values of type {} cannot be saved", value.dtype());
  }
  entry.set_size(static_cast<int64_t>(offset_ - begin));
  entry.set_crc32c(crc32c::Mask(crc));
  entries_.emplace(name, std::move(entry));
  return OkStatus();
}

Status BundleWriter::AddSlice(const std::string& name, const Shape& full_shape, const TensorSlice& slice,
                              const Tensor& value) {
  WEIR_TRY(slice.WithinForValue(full_shape, value.shape()).status());
  if (slice.Covers(full_shape)) return Add(name, value);
  tensorflow::BundleEntryProto entry;
  entry.set_dtype(static_cast<tensorflow::DataType>(value.dtype()));
  weir::ToProto(full_shape, entry.mutable_shape());
  slice.ToProto(entry.add_slices());
  WEIR_TRY(Add(slice.Key(name), value));
  return AddEntry(name, std::move(entry), prefix_, entries_);
}

Status BundleWriter::Finish() {
  if (finished_) return FailedPrecondition("the checkpoint {} is written already", prefix_);
  const std::string data = BundleDataName(prefix_, 0, 1);
  const std::string index = BundleIndexName(prefix_);
  WEIR_TRY(error_);
  WEIR_TRY(data_->Sync());
  WEIR_TRY(data_->Close());
  const std::unique_ptr<FileLock> held_index = env_.Lock(index + suffix_);
  WEIR_TRY(WriteIndex(env_, index + suffix_, 1, entries_));
  ReplacedFiles replaced(env_, suffix_ + kReplaced);
  Renames renames(env_);
  WEIR_TRY(replaced.MoveAway(index, renames));
  if (!replaced.empty()) {
    WEIR_TRY(SyncDirectoryOf(env_, index));
    WEIR_TRY(replaced.MoveAway(data, renames));
  }
  WEIR_TRY(renames.Rename(data + suffix_, data));
  WEIR_TRY(SyncDirectoryOf(env_, data));
  WEIR_TRY(renames.Rename(index + suffix_, index));
  renames.Keep();
  finished_ = true;
  replaced.Delete();
  return SyncDirectoryOf(env_, index);
}

Status MergeBundles(Env& env, const std::vector<std::string>& prefixes, const std::string& destination,
                    bool allow_missing) {
  struct Source {
    std::string prefix;
    int shards = 0;
    int first = 0;  // number of its first shard in the merged bundle
  };
  std::vector<Source> sources;
  std::map<std::string, tensorflow::BundleEntryProto> entries;
  int num_shards = 0;
  for (const std::string& prefix : prefixes) {
    if (const Status found = env.Stat(BundleIndexName(prefix)).status(); !found.ok()) {
      if (found.code() != StatusCode::kNotFound) return found;
      if (allow_missing) continue;
      return InvalidArgument("cannot merge into {}: there is no checkpoint {}", destination, prefix);
    }
    WEIR_ASSIGN(BundleIndex index, ReadBundleIndex(env, prefix));
    for (auto& [name, entry] : index.entries) {
      if (entry.slices().empty()) entry.set_shard_id(num_shards + entry.shard_id());
      WEIR_TRY(AddEntry(name, std::move(entry), prefix, entries));
    }
    sources.push_back({.prefix = prefix, .shards = index.num_shards, .first = num_shards});
    num_shards += index.num_shards;
  }
  const std::string index = BundleIndexName(destination);
  const std::string suffix = TemporarySuffix();
  const std::string aside = index + suffix;
  RemoveStaleTemporaries(env, destination);
  const std::unique_ptr<FileLock> held = env.Lock(aside);
  ReplacedFiles replaced(env, suffix + kReplaced);
  const auto merge = [&]() -> Status {
    WEIR_TRY(WriteIndex(env, aside, num_shards, entries));
    Renames renames(env);
    WEIR_TRY(replaced.MoveAway(index, renames));
    const bool replaces = !replaced.empty();
    if (replaces) WEIR_TRY(SyncDirectoryOf(env, index));
    for (const Source& source : sources) {
      for (int i = 0; i < source.shards; ++i) {
        const std::string from = BundleDataName(source.prefix, i, source.shards);
        const std::string to = BundleDataName(destination, source.first + i, num_shards);
        if (from == to) continue;
        if (replaces) WEIR_TRY(replaced.MoveAway(to, renames));
        WEIR_TRY(renames.Rename(from, to));
      }
    }
    WEIR_TRY(SyncDirectoryOf(env, index));
    WEIR_TRY(renames.Rename(aside, index));
    renames.Keep();
    return OkStatus();
  };
  if (Status status = merge(); !status.ok()) {
    env.DeleteFile(aside).IgnoreError();
    return status;
  }
  replaced.Delete();
  WEIR_TRY(SyncDirectoryOf(env, index));
  for (const Source& source : sources)
    if (source.prefix != destination) WEIR_TRY(env.DeleteFile(BundleIndexName(source.prefix)));
  return OkStatus();
}

}  // namespace weir::io

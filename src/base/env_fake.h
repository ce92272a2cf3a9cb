// FakeEnv: an in-memory file system with faults, for tests. Set `fault` to make calls fail: it is called for each
// operation ("write", "sync", ...) with its path, and if it returns an error, that is the result. A failed write leaves
// half of its bytes. A crash of the machine loses what was not synced (LoseUnsynced, LoseUnsyncedNames), except new
// directories.
#ifndef WEIR_BASE_ENV_FAKE_H_
#define WEIR_BASE_ENV_FAKE_H_

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "base/env.h"

namespace weir {
class FakeEnv final : public Env {
 public:
  // Operations: open, read, write, flush, sync, close, find, list, rename, delete, "make directory", "sync directory".
  std::function<Status(std::string_view operation, const std::string& path)> fault;
  // The capacity of the disk in bytes. A write that exceeds it stores what fits and returns ResourceExhausted.
  uint64_t capacity = std::numeric_limits<uint64_t>::max();
  std::atomic<bool> was_full = false;  // a write exceeded the capacity
  // Reads end at this offset, as if the file had been truncated after its size was read.
  uint64_t readable_bytes = std::numeric_limits<uint64_t>::max();

  Result<std::unique_ptr<ReadableFile>> OpenRead(const std::string& path) override {
    std::lock_guard lock(mutex_);
    WEIR_ASSIGN(Data data, Find("open", path));
    return std::make_unique<File>(*this, path, std::move(data));
  }
  Result<std::unique_ptr<WritableFile>> OpenWrite(const std::string& path) override { return Open(path, true); }
  Result<std::unique_ptr<WritableFile>> OpenAppend(const std::string& path) override { return Open(path, false); }
  Result<FileInfo> Stat(const std::string& path) override {
    std::lock_guard lock(mutex_);
    if (IsDirectory(path)) return FileInfo{.is_directory = true, .is_regular = false};
    WEIR_ASSIGN(const Data data, Find("find", path));
    return FileInfo{.size = data->bytes.size(), .modified_micros = data->modified_micros};
  }
  Result<std::vector<std::string>> List(const std::string& directory) override {
    std::lock_guard lock(mutex_);
    WEIR_TRY(Fault("list", directory));
    return Names(directory);
  }
  Status Rename(const std::string& from, const std::string& to) override {
    std::lock_guard lock(mutex_);
    WEIR_ASSIGN(files_[to], Find("rename", from));
    return files_.erase(from), OkStatus();
  }
  Status DeleteFile(const std::string& path) override {
    std::lock_guard lock(mutex_);
    WEIR_TRY(Find("delete", path).status());
    return files_.erase(path), OkStatus();
  }
  Status DeleteDirectory(const std::string& path) override {
    std::lock_guard lock(mutex_);
    WEIR_TRY(Fault("delete", path));
    WEIR_ASSIGN(const std::vector<std::string> names, Names(path));
    if (!names.empty()) return FailedPrecondition("cannot delete {}: it is not empty", path);
    return files_.erase(path), OkStatus();
  }
  Status MakeDirectories(const std::string& path) override {
    std::lock_guard lock(mutex_);
    WEIR_TRY(Fault("make directory", path));
    for (std::string_view p = path; !p.empty() && files_.emplace(p, nullptr).second;) {
      synced_files_.emplace(p, nullptr);
      p = DirectoryOf(p);
    }
    return OkStatus();
  }
  Status SyncDirectory(const std::string& path) override {
    std::lock_guard lock(mutex_);
    WEIR_TRY(Fault("sync directory", path));
    std::erase_if(synced_files_, [&](const auto& file) { return DirectoryOf(file.first) == path; });
    for (const auto& [file, data] : files_)
      if (DirectoryOf(file) == path) synced_files_[file] = data;
    return OkStatus();
  }
  Result<std::unique_ptr<WritableFile>> OpenReplacement(const std::string&, const std::string& aside) override {
    return OpenWrite(aside);
  }
  std::unique_ptr<FileLock> Lock(const std::string& path) override {
    std::lock_guard lock(mutex_);
    if (IsDirectory(path) || !Fault("open", path).ok()) return nullptr;
    Data& data = files_[path];
    if (data == nullptr) data = std::make_shared<Contents>();
    return std::make_unique<HeldLock>(*this, data);
  }
  Status DeleteUnlocked(const std::string& path) override {
    std::lock_guard lock(mutex_);
    WEIR_ASSIGN(const Data data, Find("delete", path));
    if (data->locks > 0) return Unavailable("cannot delete {}: it is locked", path);
    return files_.erase(path), OkStatus();
  }

  uint64_t used_bytes() {
    std::lock_guard lock(mutex_);
    return UsedBytes();
  }
  // A crash of the machine after it wrote all directories: files lose the bytes that were not synced.
  void LoseUnsynced() {
    std::lock_guard lock(mutex_);
    for (const auto& [path, data] : files_)
      if (data != nullptr) data->bytes.resize(data->synced);
  }
  // A crash of the machine before it wrote any directory: also undoes each creation, renaming and deletion of a file
  // that no sync of its directory followed.
  void LoseUnsyncedNames() {
    {
      std::lock_guard lock(mutex_);
      files_ = synced_files_;
    }
    LoseUnsynced();
  }
  // Makes all files older.
  void Age(std::chrono::microseconds time) {
    std::lock_guard lock(mutex_);
    for (const auto& [path, data] : files_)
      if (data != nullptr) data->modified_micros -= time.count();
  }

 private:
  struct Contents {
    std::string bytes;
    size_t synced = 0;  // how many bytes are safe
    int64_t modified_micros = NowMicros();
    int locks = 0;
  };
  using Data = std::shared_ptr<Contents>;
  struct File final : ReadableFile, WritableFile {
    File(FakeEnv& env, std::string path, Data data) : env(env), path(std::move(path)), data(std::move(data)) {}
    Result<size_t> Read(uint64_t offset, size_t size, char* to) const override {
      std::lock_guard lock(env.mutex_);
      WEIR_TRY(env.Fault("read", path));
      const std::string_view all = std::string_view(data->bytes).substr(0, env.readable_bytes);
      return offset > all.size() ? 0 : all.copy(to, size, offset);
    }
    Result<uint64_t> Size() const override { return std::lock_guard(env.mutex_), uint64_t{data->bytes.size()}; }
    Status Append(std::string_view more) override {
      std::lock_guard lock(env.mutex_);
      Status status = env.Fault("write", path);
      if (!status.ok()) more = more.substr(0, more.size() / 2);
      const uint64_t room = env.capacity - std::min(env.capacity, env.UsedBytes());
      if (status.ok() && more.size() > room) {
        env.was_full = true;
        status = ResourceExhausted("cannot write {}: no space left", path);
      }
      data->bytes.append(more.substr(0, room));
      data->modified_micros = NowMicros();
      return status;
    }
    Status Flush() override { return env.Fault("flush", path); }
    Status Sync() override {
      std::lock_guard lock(env.mutex_);
      WEIR_TRY(env.Fault("sync", path));
      data->synced = data->bytes.size();
      return OkStatus();
    }
    Status Close() override { return env.Fault("close", path); }
    FakeEnv& env;
    const std::string path;
    const Data data;
  };
  struct HeldLock final : FileLock {
    HeldLock(FakeEnv& env, Data data) : env(env), data(std::move(data)) { ++this->data->locks; }
    ~HeldLock() override {
      std::lock_guard lock(env.mutex_);
      --data->locks;
    }
    FakeEnv& env;
    const Data data;
  };
  static int64_t NowMicros() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  }
  // The members below are called with the mutex held.
  uint64_t UsedBytes() {
    uint64_t used = 0;
    for (const auto& [path, data] : files_) used += data == nullptr ? 0 : data->bytes.size();
    return used;
  }
  bool IsDirectory(const std::string& path) { return files_.contains(path) && files_[path] == nullptr; }
  Result<std::vector<std::string>> Names(const std::string& directory) {
    if (!IsDirectory(directory)) return NotFound("cannot list {}: no such directory", directory);
    std::vector<std::string> names;
    for (const auto& [path, data] : files_) {
      if (path != directory && DirectoryOf(path) == directory) names.emplace_back(FileNameOf(path));
    }
    return names;
  }
  Status Fault(std::string_view operation, const std::string& path) {
    return fault ? fault(operation, path) : OkStatus();
  }
  Result<Data> Find(std::string_view operation, const std::string& path) {
    WEIR_TRY(Fault(operation, path));
    if (files_.contains(path) && !IsDirectory(path)) return files_[path];
    return NotFound("cannot {} {}: no such file", operation, path);
  }
  Result<std::unique_ptr<WritableFile>> Open(const std::string& path, bool truncate) {
    std::lock_guard lock(mutex_);
    WEIR_TRY(Fault("open", path));
    Data& data = files_[path];
    if (data == nullptr) data = std::make_shared<Contents>();
    if (truncate) {
      data->bytes.clear();
      data->synced = 0;
    }
    return std::make_unique<File>(*this, path, data);
  }
  std::mutex mutex_;
  std::map<std::string, Data> files_ = {{"/", nullptr}, {".", nullptr}};  // null for a directory
  std::map<std::string, Data> synced_files_ = files_;                     // what the directories on the disk hold
};
}  // namespace weir

#endif  // WEIR_BASE_ENV_FAKE_H_

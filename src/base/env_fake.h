// FakeEnv: an in-memory file system for tests. To inject faults set `fault`: it is called with each operation ("write",
// "sync", ...) and its path, and an error that it returns becomes the result of the operation. Directories must be
// created before List or Stat finds them; writing a file does not need its directory.
#ifndef WEIR_BASE_ENV_FAKE_H_
#define WEIR_BASE_ENV_FAKE_H_

#include <functional>
#include <map>
#include <mutex>

#include "base/env.h"

namespace weir {
class FakeEnv final : public Env {
 public:
  std::function<Status(std::string_view operation, const std::string& path)> fault;

  Result<std::unique_ptr<ReadableFile>> OpenRead(const std::string& path) override {
    std::lock_guard lock(mutex_);
    WEIR_ASSIGN(Data data, Find("open", path));
    return std::make_unique<File>(*this, path, std::move(data));
  }
  Result<std::unique_ptr<WritableFile>> OpenWrite(const std::string& path) override { return Open(path, true); }
  Result<std::unique_ptr<WritableFile>> OpenAppend(const std::string& path) override { return Open(path, false); }
  Result<FileInfo> Stat(const std::string& path) override {
    std::lock_guard lock(mutex_);
    if (IsDirectory(path)) return FileInfo{.is_directory = true};
    WEIR_ASSIGN(const Data data, Find("find", path));
    return FileInfo{.size = data->size()};
  }
  Result<std::vector<std::string>> List(const std::string& directory) override {
    std::lock_guard lock(mutex_);
    if (!IsDirectory(directory)) return NotFound("cannot list {}: no such directory", directory);
    std::vector<std::string> names;
    for (const auto& [path, data] : files_) {
      if (path != directory && DirectoryOf(path) == directory) names.emplace_back(FileNameOf(path));
    }
    return names;
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
    WEIR_ASSIGN(const std::vector<std::string> names, List(path));
    if (!names.empty()) return FailedPrecondition("cannot delete {}: it is not empty", path);
    std::lock_guard lock(mutex_);
    return files_.erase(path), OkStatus();
  }
  Status MakeDirectories(const std::string& path) override {
    std::lock_guard lock(mutex_);
    for (std::string_view p = path; !p.empty() && files_.emplace(p, nullptr).second;) p = DirectoryOf(p);
    return Fault("make directory", path);
  }
  Status SyncDirectory(const std::string& path) override { return Fault("sync directory", path); }

 private:
  using Data = std::shared_ptr<std::string>;
  struct File final : ReadableFile, WritableFile {
    File(FakeEnv& env, std::string path, Data data) : env(env), path(std::move(path)), data(std::move(data)) {}
    Result<size_t> Read(uint64_t offset, size_t size, char* to) const override {
      std::lock_guard lock(env.mutex_);
      return offset > data->size() ? 0 : data->copy(to, size, offset);
    }
    Result<uint64_t> Size() const override { return std::lock_guard(env.mutex_), uint64_t{data->size()}; }
    Status Append(std::string_view more) override {
      std::lock_guard lock(env.mutex_);
      WEIR_TRY(env.Fault("write", path));
      return data->append(more), OkStatus();
    }
    Status Flush() override { return env.Fault("flush", path); }
    Status Sync() override { return env.Fault("sync", path); }
    Status Close() override { return env.Fault("close", path); }
    FakeEnv& env;
    const std::string path;
    const Data data;
  };
  bool IsDirectory(const std::string& path) { return files_.contains(path) && files_[path] == nullptr; }
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
    if (data == nullptr || truncate) data = std::make_shared<std::string>();
    return std::make_unique<File>(*this, path, data);
  }
  std::mutex mutex_;
  std::map<std::string, Data> files_ = {{"/", nullptr}, {".", nullptr}};  // null for a directory
};
}  // namespace weir

#endif  // WEIR_BASE_ENV_FAKE_H_

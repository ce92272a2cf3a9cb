// Env: the interface to the file system, so that tests can substitute a fake or inject faults. Errors name the file.
// Env is thread-safe. A file object may be used by one thread at a time, except that ReadableFile::Read may be called
// concurrently.
#ifndef WEIR_BASE_ENV_H_
#define WEIR_BASE_ENV_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/status.h"

namespace weir {

class ReadableFile {
 public:
  virtual ~ReadableFile() = default;
  // Reads up to `size` bytes at `offset` into `to` and returns how many. Returns fewer only at the end of the file.
  virtual Result<size_t> Read(uint64_t offset, size_t size, char* to) const = 0;
  virtual Result<uint64_t> Size() const = 0;
};

// The destructor closes the file but cannot report an error: call Close to get the status.
class WritableFile {
 public:
  virtual ~WritableFile() = default;
  virtual Status Append(std::string_view data) = 0;
  // Passes the appended data to the operating system: other processes can read it.
  virtual Status Flush() = 0;
  // Flushes, and makes the data survive a crash of the machine.
  virtual Status Sync() = 0;
  virtual Status Close() = 0;
};

// A lock on a file, until it is destroyed. The system releases the locks of a process that ends.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

struct FileInfo {
  uint64_t size = 0;
  int64_t modified_micros = 0;  // since the Unix epoch
  bool is_directory = false;
  bool is_regular = true;  // false for directories, links, pipes and devices
};

class Env {
 public:
  virtual ~Env() = default;

  virtual Result<std::unique_ptr<ReadableFile>> OpenRead(const std::string& path) = 0;
  // Creates or truncates the file.
  virtual Result<std::unique_ptr<WritableFile>> OpenWrite(const std::string& path) = 0;
  // Creates the file if it does not exist.
  virtual Result<std::unique_ptr<WritableFile>> OpenAppend(const std::string& path) = 0;

  virtual Result<FileInfo> Stat(const std::string& path) = 0;
  // The names in a directory, sorted, without "." and "..".
  virtual Result<std::vector<std::string>> List(const std::string& directory) = 0;
  // Replaces `to` atomically.
  virtual Status Rename(const std::string& from, const std::string& to) = 0;
  virtual Status DeleteFile(const std::string& path) = 0;
  // FailedPrecondition if the directory is not empty.
  virtual Status DeleteDirectory(const std::string& path) = 0;
  // Creates the directory and its parents. OK if it exists already.
  virtual Status MakeDirectories(const std::string& path) = 0;
  // Makes renames and new files in the directory survive a crash of the machine.
  virtual Status SyncDirectory(const std::string& path) = 0;

  // Creates or truncates `aside`, a file that will replace `path`. It gets the permissions of `path` if that exists.
  virtual Result<std::unique_ptr<WritableFile>> OpenReplacement(const std::string& path, const std::string& aside) = 0;
  // Creates the file if it does not exist. While the result lives, DeleteUnlocked of any process of this machine leaves
  // the file alone. Best effort: null if the file cannot be created or locked.
  virtual std::unique_ptr<FileLock> Lock(const std::string& path) = 0;
  // Deletes the file. Unavailable while a process holds its lock.
  virtual Status DeleteUnlocked(const std::string& path) = 0;

  // Implemented with the virtual functions above.
  // Also false if the disk fails: see IsDiskFault.
  bool Exists(const std::string& path) { return Stat(path).ok(); }
  Result<std::string> ReadFile(const std::string& path);
  Status WriteFile(const std::string& path, std::string_view data);
  // Writes "<path>.tmp", syncs it and renames it: the file holds either the old or the new data, even after a crash.
  Status WriteFileAtomically(const std::string& path, std::string_view data);
  // The same without waiting for the disk: the file holds the old or the new data unless the machine stops. Safe to
  // call concurrently for one path. Links, pipes and devices are written in place.
  Status ReplaceFile(const std::string& path, std::string_view data);
  // The sorted paths that match a pattern with *, ? and [...] in any component. No match is not an error.
  Result<std::vector<std::string>> Match(const std::string& pattern);
};

// The local file system. Lives as long as the process. A path may begin with "file://".
Env& RealEnv();

// True if the disk or the system failed, so that the state of the file is unknown.
bool IsDiskFault(const Status& status);

// JoinPath("a/b", "c") is "a/b/c". An absolute `name` is returned unchanged.
std::string JoinPath(std::string_view directory, std::string_view name);
// The part of the path before the last '/' ("" if there is none, "/" for the root), and the part after it.
std::string_view DirectoryOf(std::string_view path);
std::string_view FileNameOf(std::string_view path);

}  // namespace weir

#endif  // WEIR_BASE_ENV_H_

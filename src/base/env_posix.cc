// The Env on POSIX system calls. Writes are buffered (64 KB). Calls that a signal interrupts are retried.
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "base/env.h"
#include "base/file_scheme.h"

namespace weir {
namespace {

constexpr size_t kWriteBuffer = size_t{64} << 10;

Status FileError(std::string_view what, const std::string& path, int error) {
  const std::string message = fmt::format("cannot {} {}: {}", what, path, std::generic_category().message(error));
  switch (error) {
    case ENOENT:
      return MakeStatus(StatusCode::kNotFound, message);
    case EEXIST:
      return MakeStatus(StatusCode::kAlreadyExists, message);
    case EACCES:
    case EPERM:
    case EROFS:
      return MakeStatus(StatusCode::kPermissionDenied, message);
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return MakeStatus(StatusCode::kResourceExhausted, message);
    case ENOTDIR:
    case EISDIR:
    case ENOTEMPTY:
    case EBUSY:
    case ENXIO:
      return MakeStatus(StatusCode::kFailedPrecondition, message);
    case EAGAIN:
      return MakeStatus(StatusCode::kUnavailable, message);
    case EINVAL:
    case ESPIPE:
    case ENAMETOOLONG:
    case ELOOP:
      return MakeStatus(StatusCode::kInvalidArgument, message);
    case EIO:
      return MakeStatus(StatusCode::kDataLoss, message);
    default:
      return MakeStatus(StatusCode::kUnknown, message);
  }
}

template <class Call>
auto Retry(Call call) {
  decltype(call()) result;
  do {
    result = call();
  } while (result < 0 && errno == EINTR);
  return result;
}

// The path for system calls: `path` without "file://" and host. Points into `path`.
Result<const char*> LocalPath(const std::string& path) {
  WEIR_TRY(CheckFileScheme(path));
  return path.c_str() + FilePrefixSize(path);
}

class PosixReadable final : public ReadableFile {
 public:
  PosixReadable(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  ~PosixReadable() override { close(fd_); }

  Result<size_t> Read(uint64_t offset, size_t size, char* to) const override {
    if (offset > static_cast<uint64_t>(INT64_MAX)) return FileError("read", path_, EINVAL);
    size_t done = 0;
    while (done < size) {
      const size_t chunk = std::min(size - done, size_t{1} << 30);
      const ssize_t n = Retry([&] { return pread(fd_, to + done, chunk, static_cast<off_t>(offset + done)); });
      if (n < 0) return FileError("read", path_, errno);
      if (n == 0) break;
      done += static_cast<size_t>(n);
    }
    return done;
  }
  Result<uint64_t> Size() const override {
    struct stat info {};
    if (fstat(fd_, &info) != 0) return FileError("read", path_, errno);
    return static_cast<uint64_t>(info.st_size);
  }

 private:
  const std::string path_;
  const int fd_;
};

class PosixWritable final : public WritableFile {
 public:
  PosixWritable(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  ~PosixWritable() override { Close().IgnoreError(); }

  Status Append(std::string_view data) override {
    if (buffer_.size() + data.size() <= kWriteBuffer) {
      buffer_.append(data);
      return OkStatus();
    }
    WEIR_TRY(Flush());
    if (data.size() > kWriteBuffer) return WriteAll(data);
    buffer_.append(data);
    return OkStatus();
  }
  Status Flush() override {
    if (buffer_.empty()) return OkStatus();
    Status status = WriteAll(buffer_);
    buffer_.clear();
    return status;
  }
  Status Sync() override {
    WEIR_TRY(Flush());
    if (Retry([&] { return fsync(fd_); }) != 0) return FileError("sync", path_, errno);
    return OkStatus();
  }
  Status Close() override {
    if (fd_ < 0) return OkStatus();
    Status status = Flush();
    // Linux frees the descriptor even if close is interrupted: never retry it.
    if (close(std::exchange(fd_, -1)) != 0 && errno != EINTR && status.ok()) status = FileError("close", path_, errno);
    return status;
  }

 private:
  // Waits until a full pipe is writable. Returns false, with errno set, after a minute or on an error.
  bool WaitUntilWritable() const {
    constexpr int kWriteTimeoutMs = 60'000;
    pollfd pipe{fd_, POLLOUT, 0};
    const int ready = Retry([&] { return poll(&pipe, 1, kWriteTimeoutMs); });
    if (ready == 0) errno = EAGAIN;
    return ready > 0;
  }

  Status WriteAll(std::string_view data) {
    if (fd_ < 0) return FailedPrecondition("cannot write {}: it is closed", path_);
    while (!data.empty()) {
      const ssize_t n = Retry([&] { return write(fd_, data.data(), std::min(data.size(), size_t{1} << 30)); });
      if (n < 0 && errno == EAGAIN && WaitUntilWritable()) continue;
      if (n < 0) return FileError("write", path_, errno);
      data.remove_prefix(static_cast<size_t>(n));
    }
    return OkStatus();
  }

  const std::string path_;
  int fd_;
  std::string buffer_;
};

class PosixLock final : public FileLock {
 public:
  explicit PosixLock(int fd) : fd_(fd) {}
  ~PosixLock() override { close(fd_); }

 private:
  const int fd_;
};

class PosixEnv final : public Env {
 public:
  Result<std::unique_ptr<ReadableFile>> OpenRead(const std::string& path) override {
    WEIR_ASSIGN(const char* local, LocalPath(path));
    // O_NONBLOCK: opening a pipe that has no writer must not block. pread fails on pipes anyway.
    const int fd = Retry([&] { return open(local, O_RDONLY | O_CLOEXEC | O_NONBLOCK); });
    if (fd < 0) return FileError("open", path, errno);
    auto file = std::make_unique<PosixReadable>(path, fd);
    struct stat info {};
    if (fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) return FileError("open", path, EISDIR);
    return file;
  }
  Result<std::unique_ptr<WritableFile>> OpenWrite(const std::string& path) override {
    return OpenForWriting(path, O_TRUNC);
  }
  Result<std::unique_ptr<WritableFile>> OpenAppend(const std::string& path) override {
    return OpenForWriting(path, O_APPEND);
  }

  Result<FileInfo> Stat(const std::string& path) override {
    WEIR_ASSIGN(const char* local, LocalPath(path));
    struct stat info {};
    struct stat link {};
    if (lstat(local, &link) != 0) return FileError("find", path, errno);
    if (!S_ISLNK(link.st_mode)) {
      info = link;
    } else if (stat(local, &info) != 0) {
      return FileError("find", path, errno);
    }
    return FileInfo{.size = static_cast<uint64_t>(info.st_size),
                    .modified_micros = int64_t{info.st_mtim.tv_sec} * 1'000'000 + info.st_mtim.tv_nsec / 1000,
                    .is_directory = S_ISDIR(info.st_mode),
                    .is_regular = S_ISREG(link.st_mode)};
  }

  Result<std::vector<std::string>> List(const std::string& directory) override {
    WEIR_ASSIGN(const char* local, LocalPath(directory));
    DIR* dir = opendir(local);
    if (dir == nullptr) return FileError("list", directory, errno);
    std::vector<std::string> names;
    int error = 0;
    for (;;) {
      errno = 0;
      const dirent* entry = readdir(dir);
      if (entry == nullptr) {
        error = errno;
        break;
      }
      const std::string_view name(entry->d_name);
      if (name != "." && name != "..") names.emplace_back(name);
    }
    closedir(dir);
    if (error != 0) return FileError("list", directory, error);
    std::sort(names.begin(), names.end());
    return names;
  }

  Status Rename(const std::string& from, const std::string& to) override {
    WEIR_ASSIGN(const char* local_from, LocalPath(from));
    WEIR_ASSIGN(const char* local_to, LocalPath(to));
    if (rename(local_from, local_to) == 0) return OkStatus();
    return FileError("rename", fmt::format("{} to {}", from, to), errno);
  }
  Status DeleteFile(const std::string& path) override {
    WEIR_ASSIGN(const char* local, LocalPath(path));
    return unlink(local) == 0 ? OkStatus() : FileError("delete", path, errno);
  }
  Status DeleteDirectory(const std::string& path) override {
    WEIR_ASSIGN(const char* local, LocalPath(path));
    return rmdir(local) == 0 ? OkStatus() : FileError("delete", path, errno);
  }

  Status MakeDirectories(const std::string& path) override {
    WEIR_ASSIGN(const std::string local, LocalPath(path));
    for (size_t slash = 0; slash != std::string::npos;) {
      slash = local.find('/', slash + 1);
      const std::string part = local.substr(0, slash);
      if (mkdir(part.c_str(), 0777) == 0) continue;
      const int error = errno;
      struct stat info {};
      if (stat(part.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) continue;
      return FileError("make directory", path, error == EEXIST ? ENOTDIR : error);
    }
    return OkStatus();
  }

  Status SyncDirectory(const std::string& path) override {
    WEIR_ASSIGN(const char* local, LocalPath(path));
    if (*local == '\0') local = path.empty() ? "." : "/";  // DirectoryOf("a"), DirectoryOf("file:///a")
    const int fd = Retry([&] { return open(local, O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
    if (fd < 0) return FileError("sync directory", path, errno);
    const int result = Retry([&] { return fsync(fd); });
    const int error = errno;
    close(fd);
    // Some file systems do not support fsync on a directory.
    return result == 0 || error == EINVAL || error == ENOTSUP ? OkStatus() : FileError("sync directory", path, error);
  }

  Result<std::unique_ptr<WritableFile>> OpenReplacement(const std::string& path, const std::string& aside) override {
    WEIR_ASSIGN(const char* local, LocalPath(path));
    struct stat replaced {};
    if (stat(local, &replaced) != 0) return OpenWrite(aside);
    return OpenForWriting(aside, O_TRUNC, replaced.st_mode & 0777);
  }

  std::unique_ptr<FileLock> Lock(const std::string& path) override {
    const Result<const char*> local = LocalPath(path);
    if (!local.ok()) return nullptr;
    // DeleteUnlocked may remove the file between its creation and the lock: then create another one.
    for (int attempt = 0; attempt < 10; ++attempt) {
      const int fd = Retry([&] { return open(*local, O_RDWR | O_CREAT | O_CLOEXEC, 0666); });
      if (fd < 0) return nullptr;
      auto lock = std::make_unique<PosixLock>(fd);
      if (Retry([&] { return flock(fd, LOCK_SH); }) != 0) return nullptr;
      struct stat made {};
      if (fstat(fd, &made) == 0 && made.st_nlink > 0) return lock;
    }
    return nullptr;
  }

  Status DeleteUnlocked(const std::string& path) override {
    WEIR_ASSIGN(const char* local, LocalPath(path));
    const int fd = Retry([&] { return open(local, O_RDONLY | O_CLOEXEC); });
    if (fd < 0) return FileError("delete", path, errno);
    const PosixLock closed(fd);  // keeps the lock until the file is gone
    if (Retry([&] { return flock(fd, LOCK_EX | LOCK_NB); }) != 0) return FileError("delete", path, EAGAIN);
    return unlink(local) == 0 ? OkStatus() : FileError("delete", path, errno);
  }

 private:
  // `exact_mode`: set these permissions regardless of the umask.
  static Result<std::unique_ptr<WritableFile>> OpenForWriting(const std::string& path, int flag,
                                                              std::optional<mode_t> exact_mode = {}) {
    WEIR_ASSIGN(const char* local, LocalPath(path));
    // O_NONBLOCK: opening a pipe that has no reader must not block. It fails with ENXIO.
    const mode_t mode = exact_mode.value_or(0666);
    const int fd = Retry([&] { return open(local, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | flag, mode); });
    if (fd < 0) return FileError("open", path, errno);
    auto file = std::make_unique<PosixWritable>(path, fd);
    // Best effort: open has granted at most these permissions, and some file systems have none.
    if (exact_mode.has_value()) (void)fchmod(fd, mode);
    return file;
  }
};

}  // namespace

Env& RealEnv() {
  static PosixEnv env;
  return env;
}

}  // namespace weir

#include "io/temporary_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <vector>

#include "base/cgroup.h"
#include "base/rng.h"

namespace weir::io {
namespace {

constexpr std::string_view kMark = ".tempstate";
constexpr int64_t kOldMicros = int64_t{3600} * 1'000'000;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Identifies the kernel by its boot id. Containers on one machine share it, as they share locks.
const std::string& HostId() {
  static const std::string id = [] {
    const std::string text = ReadSmallFile("/proc/sys/kernel/random/boot_id");
    return text.substr(0, text.find('-'));
  }();
  return id;
}

std::string LocalPath(const std::string& path) { return path.starts_with("file://") ? path.substr(7) : path; }

bool IsOld(Env& env, const std::string& path) {
  const Result<FileInfo> info = env.Stat(path);
  const auto now =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch());
  return info.ok() && now.count() - info->modified_micros > kOldMicros;
}

// Holds the lock until the file is unlinked, so that a writer that has just created it notices (HeldTemporary).
void RemoveIfUnheld(const std::string& path) {
  const std::string local = LocalPath(path);
  const int file = open(local.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  if (flock(file, LOCK_EX | LOCK_NB) == 0) unlink(local.c_str());
  close(file);
}

// Removes stale files of `directory` whose names begin with `name`.
void RemoveStaleIn(Env& env, const std::string& directory, std::string_view name) {
  const Result<std::vector<std::string>> all = env.List(directory.empty() ? "." : directory);
  if (!all.ok()) return;
  const std::string own_mark = fmt::format("{}{}-", kMark, HostId());
  for (const std::string& file : *all) {
    if (!file.starts_with(name) || file.size() == name.size()) continue;
    const char next = file[name.size()];
    if (next != '.' && next != '-' && next != '_') continue;
    const std::string path = JoinPath(directory, file);
    if (const size_t mark = file.find(kMark, name.size()); mark != std::string::npos) {
      const bool own_host = !HostId().empty() && file.compare(mark, own_mark.size(), own_mark) == 0;
      if (own_host || IsOld(env, path)) RemoveIfUnheld(path);
    } else if (file.ends_with(".meta.tmp") && IsOld(env, path)) {
      env.DeleteFile(path).IgnoreError();
    } else if (file.ends_with("_temp")) {  // the directory of a sharded checkpoint
      RemoveStaleIn(env, path, "part");
      if (IsOld(env, path)) env.DeleteDirectory(path).IgnoreError();  // fails unless it is empty
    }
  }
}

}  // namespace

std::string TemporarySuffix() { return fmt::format("{}{}-{}", kMark, HostId(), RealRng().Next64()); }

HeldTemporary::HeldTemporary(Env& env, const std::string& path) {
  if (&env != &RealEnv()) return;
  // Another process may remove the file between its creation and the lock. Then try again.
  for (int attempt = 0; attempt < 10; ++attempt) {
    fd_ = open(LocalPath(path).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd_ < 0) return;
    struct stat made {};
    if (flock(fd_, LOCK_SH) != 0 || (fstat(fd_, &made) == 0 && made.st_nlink > 0)) return;
    close(fd_);
    fd_ = -1;
  }
}

HeldTemporary::~HeldTemporary() {
  if (fd_ >= 0) close(fd_);
}

void RemoveStaleTemporaries(Env& env, const std::string& prefix) {
  if (&env != &RealEnv()) return;
  std::string_view name = FileNameOf(prefix);
  size_t end = name.size();
  while (end > 0 && IsDigit(name[end - 1])) --end;
  if (end > 1 && end < name.size() && name[end - 1] == '-') name = name.substr(0, end - 1);
  if (!name.empty()) RemoveStaleIn(env, std::string(DirectoryOf(prefix)), name);
}

}  // namespace weir::io

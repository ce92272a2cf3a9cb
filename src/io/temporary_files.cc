#include "io/temporary_files.h"

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

bool IsOld(Env& env, const std::string& path) {
  const Result<FileInfo> info = env.Stat(path);
  const auto now =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch());
  return info.ok() && now.count() - info->modified_micros > kOldMicros;
}

// Removes shards of a checkpoint that were never merged.
void RemoveOldShards(Env& env, const std::string& directory) {
  const Result<std::vector<std::string>> all = env.List(directory);
  if (!all.ok()) return;
  for (const std::string& file : *all) {
    const std::string path = JoinPath(directory, file);
    if (file.starts_with("part-") && IsOld(env, path)) env.DeleteUnlocked(path).IgnoreError();
  }
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
      if (own_host || IsOld(env, path)) env.DeleteUnlocked(path).IgnoreError();
    } else if (file.ends_with(".meta.tmp") && IsOld(env, path)) {
      env.DeleteFile(path).IgnoreError();
    } else if (file.ends_with("_temp")) {  // the directory of a sharded checkpoint
      RemoveStaleIn(env, path, "part");
      RemoveOldShards(env, path);
      if (IsOld(env, path)) env.DeleteDirectory(path).IgnoreError();  // fails unless it is empty
    }
  }
}

}  // namespace

std::string TemporarySuffix() { return fmt::format("{}{}-{}", kMark, HostId(), RealRng().Next64()); }

void RemoveStaleTemporaries(Env& env, const std::string& prefix) {
  std::string_view name = FileNameOf(prefix);
  size_t end = name.size();
  while (end > 0 && IsDigit(name[end - 1])) --end;
  if (end > 1 && end < name.size() && name[end - 1] == '-') name = name.substr(0, end - 1);
  if (!name.empty()) RemoveStaleIn(env, std::string(DirectoryOf(prefix)), name);
}

}  // namespace weir::io

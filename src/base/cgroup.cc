#include "base/cgroup.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "absl/strings/str_split.h"

namespace weir {
namespace {

constexpr char kRoot[] = "/sys/fs/cgroup";

// The number at the start of a file, or `fallback` if there is none ("max", no such file).
int64_t ReadNumber(const std::string& path, int64_t fallback) {
  const std::string text = ReadSmallFile(path);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? value : fallback;
}

// The number after `key` in a file of "key number" lines, or 0.
int64_t ReadField(const std::string& path, std::string_view key) {
  const std::string text = ReadSmallFile(path);
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (line.size() <= key.size() || line.substr(0, key.size()) != absl::string_view(key.data(), key.size()) ||
        line[key.size()] != ' ') {
      continue;
    }
    int64_t value = 0;
    std::from_chars(line.data() + key.size() + 1, line.data() + line.size(), value);
    return value;
  }
  return 0;
}

struct Directory {
  std::string path;
  bool unified;
};

// The directories of this process's groups under `controller`, innermost first. Inside a container the path in
// /proc/self/cgroup may not be mounted; then only the mounted root is returned.
std::vector<Directory> GroupDirectories(std::string_view controller) {
  std::vector<Directory> found;
  const std::string table = ReadSmallFile("/proc/self/cgroup");
  for (absl::string_view line : absl::StrSplit(table, '\n', absl::SkipEmpty())) {
    const std::vector<std::string> fields = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (fields.size() != 3) continue;
    const bool unified = fields[1].empty();
    std::string mount = kRoot;
    if (!unified) {
      const std::vector<std::string> names = absl::StrSplit(fields[1], ',');
      if (std::find(names.begin(), names.end(), controller) == names.end()) continue;
      mount += "/" + std::string(controller);
    }
    for (std::string path = fields[2]; path.size() > 1; path.resize(path.rfind('/'))) {
      if (path.find('/') == std::string::npos) break;
      if (access((mount + path).c_str(), F_OK) == 0) found.push_back({mount + path, unified});
    }
    found.push_back({mount, unified});
  }
  return found;
}

}  // namespace

std::string ReadSmallFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "";
  std::string text;
  char chunk[4096];
  for (ssize_t n; (n = read(fd, chunk, sizeof(chunk))) > 0 && text.size() < (1u << 20);) text.append(chunk, n);
  close(fd);
  return text;
}

MemoryGroups::MemoryGroups() {
  for (Directory& directory : GroupDirectories("memory")) {
    groups_.push_back({std::move(directory.path), directory.unified});
  }
}

int64_t MemoryGroups::Limit() const {
  int64_t smallest = kNoLimit;
  for (const Group& group : groups_) {
    const char* file = group.unified ? "/memory.max" : "/memory.limit_in_bytes";
    smallest = std::min(smallest, ReadNumber(group.directory + file, kNoLimit));
  }
  return smallest;
}

int64_t MemoryGroups::Room() const {
  int64_t smallest = kNoLimit;
  for (const Group& group : groups_) {
    const char* limit_file = group.unified ? "/memory.max" : "/memory.limit_in_bytes";
    const char* usage_file = group.unified ? "/memory.current" : "/memory.usage_in_bytes";
    const int64_t limit = ReadNumber(group.directory + limit_file, kNoLimit);
    if (limit == kNoLimit) continue;
    const int64_t usage = ReadNumber(group.directory + usage_file, 0);
    const std::string stat = group.directory + "/memory.stat";
    const int64_t droppable = group.unified
                                  ? ReadField(stat, "inactive_file") + ReadField(stat, "active_file")
                                  : ReadField(stat, "total_inactive_file") + ReadField(stat, "total_active_file");
    const int64_t used = std::max<int64_t>(usage - droppable, 0);
    smallest = std::min(smallest, std::max<int64_t>(limit - used, 0));
  }
  return smallest;
}

double CpuQuota() {
  double smallest = -1;
  for (const Directory& directory : GroupDirectories("cpu")) {
    int64_t quota = -1;
    int64_t period = 0;
    if (directory.unified) {
      const std::string text = ReadSmallFile(directory.path + "/cpu.max");  // "200000 100000" or "max 100000"
      const size_t space = text.find(' ');
      if (space == std::string::npos) continue;
      if (std::from_chars(text.data(), text.data() + space, quota).ec != std::errc()) continue;
      std::from_chars(text.data() + space + 1, text.data() + text.size(), period);
    } else {
      quota = ReadNumber(directory.path + "/cpu.cfs_quota_us", -1);
      period = ReadNumber(directory.path + "/cpu.cfs_period_us", 0);
    }
    if (quota <= 0 || period <= 0) continue;
    const double cores = static_cast<double>(quota) / static_cast<double>(period);
    smallest = smallest < 0 ? cores : std::min(smallest, cores);
  }
  return smallest;
}

}  // namespace weir

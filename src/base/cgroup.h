// The limits that the process's control group (version 1 or 2) and its ancestors put on it. Linux only; what cannot be
// read counts as no limit.
#ifndef WEIR_BASE_CGROUP_H_
#define WEIR_BASE_CGROUP_H_

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace weir {

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

// A memory group of this process, from its own up to the root. Paths are found once, numbers are read on each call.
class MemoryGroups final {
 public:
  MemoryGroups();
  // The smallest limit of all groups in bytes, or kNoLimit.
  int64_t Limit() const;
  // The smallest room left under a limit, counting as free the file pages that the kernel would drop; or kNoLimit.
  int64_t Room() const;

 private:
  struct Group {
    std::string directory;
    bool unified;
  };
  std::vector<Group> groups_;
};

// CPU time over wall time that the groups grant (1.5: one and a half cores), or a negative number for no limit.
double CpuQuota();

// The whole of a small file such as those under /proc; empty when it cannot be read.
std::string ReadSmallFile(const std::string& path);

}  // namespace weir

#endif  // WEIR_BASE_CGROUP_H_

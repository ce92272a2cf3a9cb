// Limits set by the control group (version 1 or 2) of this process and by its ancestors. Linux only. A limit that
// cannot be read counts as no limit.
#ifndef WEIR_BASE_CGROUP_H_
#define WEIR_BASE_CGROUP_H_

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace weir {

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

// The memory groups of this process, from its own up to the root. Paths are resolved once; values are read on each
// call.
class MemoryGroups final {
 public:
  MemoryGroups();
  // The smallest limit of all groups in bytes, or kNoLimit.
  int64_t Limit() const;
  // The smallest number of bytes left under any limit, or kNoLimit. Page cache that the kernel can drop counts as free.
  int64_t Room() const;

 private:
  struct Group {
    std::string directory;
    bool unified;
  };
  std::vector<Group> groups_;
};

// The number of cores that the groups grant, as CPU time per wall time (e.g. 1.5). Negative: no limit.
double CpuQuota();

// The contents of a small file, e.g. under /proc. Empty if it cannot be read.
std::string ReadSmallFile(const std::string& path);

}  // namespace weir

#endif  // WEIR_BASE_CGROUP_H_

#include "base/cgroup.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

// The values depend on the machine, so only check that they are plausible.
TEST(CgroupTest, LimitsAreSane) {
  const MemoryGroups groups;
  EXPECT_GT(groups.Limit(), 0);
  EXPECT_GE(groups.Room(), 0);
  EXPECT_LE(groups.Room(), groups.Limit());
  const double quota = CpuQuota();
  EXPECT_TRUE(quota < 0 || quota > 0.001) << quota;
}

TEST(CgroupTest, SmallFiles) {
  EXPECT_FALSE(ReadSmallFile("/proc/self/statm").empty());
  EXPECT_EQ(ReadSmallFile("/no/such/file"), "");
}

}  // namespace
}  // namespace weir

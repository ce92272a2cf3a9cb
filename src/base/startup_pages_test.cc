#include "base/startup_pages.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace weir {
namespace {

// Read-only data, mapped from the file. After a release the kernel maps pages at both ends again together with
// neighbouring constants that are in use, up to 2 MB: little compared to this size.
constexpr size_t kBytes = size_t{16} << 20;
alignas(4096) constexpr char kContent[kBytes] = {1};

// The number of resident pages of kContent.
int64_t Resident() {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  std::vector<uint64_t> entries(kBytes / page);
  const int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  const size_t bytes = entries.size() * sizeof(uint64_t);
  const auto at = static_cast<off_t>(reinterpret_cast<uintptr_t>(kContent) / page * sizeof(uint64_t));
  EXPECT_EQ(pread(pagemap, entries.data(), bytes, at), static_cast<ssize_t>(bytes));
  close(pagemap);
  return std::count_if(entries.begin(), entries.end(), [](uint64_t entry) { return entry >> 63 != 0; });
}

int Sum() {
  const volatile char* content = kContent;
  int sum = 0;
  for (size_t i = 0; i < kBytes; i += 4096) sum += content[i];
  return sum;
}

TEST(StartupPages, CleanPagesAreReleasedAndMappedBack) {
  EXPECT_EQ(Sum(), 1);
  const int64_t all = Resident();
  ASSERT_EQ(all, kBytes / sysconf(_SC_PAGESIZE));
  ReleaseStartupPages();
  EXPECT_LT(Resident(), all / 4);
  EXPECT_EQ(Sum(), 1);
  EXPECT_EQ(Resident(), all);
}

TEST(StartupPages, ModifiedPagesStay) {
  char* const changed = const_cast<char*>(kContent) + 8 * sysconf(_SC_PAGESIZE);
  ASSERT_EQ(mprotect(changed, 1, PROT_READ | PROT_WRITE), 0);
  *static_cast<volatile char*>(changed) = 5;  // volatile: the compiler may drop a write to a constant
  ASSERT_EQ(mprotect(changed, 1, PROT_READ), 0);
  ReleaseStartupPages();
  EXPECT_EQ(Sum(), 6);
  ASSERT_EQ(madvise(changed, 1, MADV_DONTNEED), 0);
  EXPECT_EQ(Sum(), 1);
}

}  // namespace
}  // namespace weir

#include "base/startup_pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

namespace weir {
namespace {

// In the file, among the constants.
constexpr size_t kBytes = size_t{1} << 20;
alignas(4096) constexpr char kContent[kBytes] = {1};

// Of the mappings that hold the content, in KB.
int64_t Resident() {
  const auto content = reinterpret_cast<uintptr_t>(kContent);
  std::ifstream maps("/proc/self/smaps");
  std::string line;
  bool inside = false;
  int64_t resident = 0;
  while (std::getline(maps, line)) {
    uintptr_t begin = 0;
    uintptr_t end = 0;
    char dash = 0;
    std::istringstream fields(line);
    if (fields >> std::hex >> begin >> dash >> end && dash == '-') inside = begin < content + kBytes && content < end;
    if (inside && line.starts_with("Rss:")) resident += std::stoll(line.substr(4));
  }
  return resident;
}

int Sum() {
  const volatile char* content = kContent;
  int sum = 0;
  for (size_t i = 0; i < kBytes; i += 4096) sum += content[i];
  return sum;
}

TEST(StartupPages, WhatFilesHoldLeavesTheMemoryAndComesBack) {
  EXPECT_EQ(Sum(), 1);
  const int64_t before = Resident();
  ASSERT_GE(before, 1024);
  ReleaseStartupPages();
  EXPECT_LT(Resident(), before - 900);
  EXPECT_EQ(Sum(), 1);
  EXPECT_GE(Resident(), 1024);
}

TEST(StartupPages, WhatDiffersFromItsFileStays) {
  char* const changed = const_cast<char*>(kContent) + 8 * sysconf(_SC_PAGESIZE);
  ASSERT_EQ(mprotect(changed, 1, PROT_READ | PROT_WRITE), 0);
  *static_cast<volatile char*>(changed) = 5;  // a compiler may leave out what it takes for a write to a constant
  ASSERT_EQ(mprotect(changed, 1, PROT_READ), 0);
  ReleaseStartupPages();
  EXPECT_EQ(Sum(), 6);
  ASSERT_EQ(madvise(changed, 1, MADV_DONTNEED), 0);
  EXPECT_EQ(Sum(), 1);
}

}  // namespace
}  // namespace weir

#include "base/process_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

namespace weir {
namespace {

constexpr size_t kMegabyte = size_t{1} << 20;

TEST(ProcessMemory, HugeReservationsFail) {
  ProcessMemory& memory = ProcessMemory::Get();
  for (const size_t bytes : {size_t{1} << 50, std::numeric_limits<size_t>::max()}) {
    const Status status = memory.Reserve(bytes);
    EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
    EXPECT_NE(status.message().find("WEIR_MEMORY_LIMIT_MB"), absl::string_view::npos) << status;
  }
  EXPECT_TRUE(memory.Reserve(kMegabyte).ok());
}

TEST(ProcessMemory, TheLimitHoldsAfterRefusals) {
  ProcessMemory& memory = ProcessMemory::Get();
  for (int i = 0; i < 8; ++i) EXPECT_FALSE(memory.Reserve(std::numeric_limits<size_t>::max() / 2).ok());
  memory.CountBlock(memory.limit());
  EXPECT_FALSE(memory.Reserve(64 * kMegabyte).ok());
  memory.CountBlock(-memory.limit());
}

TEST(ProcessMemory, ReservationsDoNotAccumulate) {
  ProcessMemory& memory = ProcessMemory::Get();
  for (int i = 0; i < 100'000; ++i) ASSERT_TRUE(memory.Reserve(kMegabyte).ok());
}

TEST(ProcessMemory, ThreadsMayReserveAtTheSameTime) {
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10'000; ++i) {
        if (!ProcessMemory::Get().Reserve(static_cast<size_t>(i)).ok()) ++failed;
        ProcessMemory::Get().Charge(static_cast<size_t>(i));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
}

TEST(ProcessMemory, ABlockCountsBeforeItIsTouched) {
  ProcessMemory& memory = ProcessMemory::Get();
  memory.CountBlock(memory.limit());
  EXPECT_GE(memory.Used(), memory.limit());
  EXPECT_FALSE(memory.Reserve(64 * kMegabyte).ok());
  memory.CountBlock(-memory.limit());
  EXPECT_TRUE(memory.Reserve(64 * kMegabyte).ok());
}

TEST(ProcessMemory, ASharedMappingCounts) {
  ProcessMemory& memory = ProcessMemory::Get();
  memory.CountSharedMapping(memory.limit());
  EXPECT_GE(memory.Used(), memory.limit());
  EXPECT_FALSE(memory.Reserve(64 * kMegabyte).ok());
  memory.CountSharedMapping(-memory.limit());
  EXPECT_TRUE(memory.Reserve(64 * kMegabyte).ok());
}

TEST(ProcessMemory, DataThatOutlivesAStepLeavesRoomForSteps) {
  ProcessMemory& memory = ProcessMemory::Get();
  const int64_t most = memory.limit() - static_cast<int64_t>(32 * kMegabyte);
  const auto check_usage = [&] {
    for (int i = 0; i < 64; ++i) ASSERT_TRUE(memory.Reserve(kMegabyte).ok());
  };
  memory.CountBlock(most);
  check_usage();
  EXPECT_EQ(memory.ReserveKept(kMegabyte).code(), StatusCode::kResourceExhausted);
  EXPECT_TRUE(memory.Reserve(kMegabyte).ok());
  memory.CountBlock(-most);
  check_usage();
  EXPECT_TRUE(memory.ReserveKept(kMegabyte).ok());
}

// Holds one block, and releases it when the process needs memory.
class OneBlockCache final : public MemoryCache {
 public:
  void Fill(int64_t bytes) {
    bytes_ = bytes;
    ProcessMemory::Get().CountBlock(bytes);
  }
  bool ReleaseUnused(int64_t nanos) override {
    ++calls;
    if (nanos == 0) ProcessMemory::Get().CountBlock(-bytes_.exchange(0));
    return bytes_ != 0;
  }
  std::atomic<int> calls{0};

 private:
  std::atomic<int64_t> bytes_{0};
};

OneBlockCache& TestCache() {
  static OneBlockCache* const cache = new OneBlockCache;  // lives as long as the process
  return *cache;
}

TEST(ProcessMemory, TheCacheIsEmptiedBeforeAReservationFails) {
  ProcessMemory& memory = ProcessMemory::Get();
  memory.SetCache(&TestCache());
  TestCache().Fill(memory.limit());
  EXPECT_TRUE(memory.Reserve(64 * kMegabyte).ok());
  EXPECT_LT(memory.Used(), memory.limit());
  memory.SetCache(nullptr);
}

#if !defined(__SANITIZE_THREAD__)
TEST(ProcessMemory, AChildProcessReleasesItsOwnCache) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "a child process cannot start threads";
#endif
#endif
  ProcessMemory& memory = ProcessMemory::Get();
  memory.SetCache(&TestCache());
  memory.CacheGrew();  // this process has a release thread, its child has none
  const pid_t child = fork();
  if (child == 0) {
    const int before = TestCache().calls;
    memory.CacheGrew();
    for (int i = 0; i < 100 && TestCache().calls == before; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    _exit(TestCache().calls == before ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  memory.SetCache(nullptr);
}
#endif

// Each runs in a fresh process, because the limit is read once.
class ProcessMemoryDeathTest : public testing::Test {
 protected:
  ProcessMemoryDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  ~ProcessMemoryDeathTest() override { unsetenv("WEIR_MEMORY_LIMIT_MB"); }
};

TEST_F(ProcessMemoryDeathTest, LimitIsCappedByPhysicalMemory) {
  setenv("WEIR_MEMORY_LIMIT_MB", "1000000000", 1);
  EXPECT_EXIT(
      {
        const int64_t physical = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
        std::exit(ProcessMemory::Get().limit() <= physical ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(ProcessMemoryDeathTest, MemoryFromBeforeTheLimitIsNotCounted) {
  setenv("WEIR_MEMORY_LIMIT_MB", "50", 1);
  EXPECT_EXIT(
      {
        std::vector<char> before(100 * kMegabyte, 'x');
        ProcessMemory& memory = ProcessMemory::Get();
        bool ok = true;
        for (int i = 0; i < 64; ++i) ok = ok && memory.Reserve(kMegabyte).ok();
        std::exit(ok && before[kMegabyte] == 'x' ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_F(ProcessMemoryDeathTest, TheLastOfTheAddressSpaceIsNotReserved) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "sanitizers map more than the limit";
#endif
#endif
  EXPECT_EXIT(
      {
        rlimit limit{};
        limit.rlim_cur = limit.rlim_max = 1 << 30;
        setrlimit(RLIMIT_AS, &limit);
        ProcessMemory& memory = ProcessMemory::Get();
        const bool first = memory.Reserve(64 * kMegabyte).ok();
        std::vector<void*> blocks;
        for (void* at = nullptr; at != MAP_FAILED; blocks.push_back(at))
          at = mmap(nullptr, kMegabyte, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        blocks.pop_back();
        for (int i = 0; i < 100; ++i) munmap(blocks[i], kMegabyte);
        std::exit(first && !memory.Reserve(64 * kMegabyte).ok() ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace weir

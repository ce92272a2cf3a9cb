#include "base/process_memory.h"

#include <gtest/gtest.h>

#include <atomic>
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

TEST(ProcessMemory, ReservingDoesNotAddUp) {
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

}  // namespace
}  // namespace weir

#include "tensor/buffer.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstring>
#include <thread>
#include <vector>

namespace weir {
namespace {

constexpr size_t kMega = size_t{1} << 20;

TEST(BufferTest, BlocksOfAllSizesAreAligned) {
  for (size_t bytes : {size_t{0}, size_t{1}, size_t{64}, size_t{1000}, kMega - 1, kMega, 5 * kMega + 3, 33 * kMega}) {
    Result<BufferPtr> buffer = CpuAllocator().Allocate(bytes);
    ASSERT_TRUE(buffer.ok());
    EXPECT_EQ((*buffer)->size(), bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>((*buffer)->data()) % kBufferAlignment, 0u);
    std::memset((*buffer)->data(), 0xab, bytes);
  }
}

TEST(BufferTest, LargeBlocksAreRecycled) {
  void* first;
  {
    BufferPtr buffer = CpuAllocator().Allocate(7 * kMega).value();
    first = buffer->data();
  }
  {
    BufferPtr buffer = CpuAllocator().Allocate(7 * kMega).value();
    EXPECT_EQ(buffer->data(), first);
  }
  {
    BufferPtr buffer = CpuAllocator().Allocate(7 * kMega - 1000).value();
    EXPECT_EQ(buffer->data(), first);
    EXPECT_EQ(buffer->size(), 7 * kMega - 1000);
    BufferPtr second = CpuAllocator().Allocate(7 * kMega).value();
    EXPECT_NE(second->data(), first);
  }
  BufferPtr small = CpuAllocator().Allocate(2 * kMega).value();
  EXPECT_NE(small->data(), first);
}

TEST(BufferTest, SteadyStateDoesNotPageFault) {
  const auto step = [] {
    BufferPtr a = CpuAllocator().Allocate(8 * kMega).value();
    BufferPtr b = CpuAllocator().Allocate(3 * kMega).value();
    std::memset(a->data(), 1, a->size());
    std::memset(b->data(), 1, b->size());
  };
  const auto faults = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
  };
  step();
  const long before = faults();
  for (int i = 0; i < 10; ++i) step();
  EXPECT_LT(faults() - before, 300);  // 28160 pages are written
}

TEST(BufferTest, MoreThanTheMachineHoldsIsAnError) {
  for (size_t bytes : {size_t{1} << 46, size_t{1} << 62, SIZE_MAX}) {
    const Status status = CpuAllocator().Allocate(bytes).status();
    EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
    EXPECT_NE(status.message().find(std::to_string(bytes)), absl::string_view::npos) << status;
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)
TEST(BufferTest, AddressSpaceLimitCounts) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit tight = before;
  tight.rlim_cur = size_t{4} << 30;
  ASSERT_EQ(setrlimit(RLIMIT_AS, &tight), 0);
  EXPECT_EQ(CpuAllocator().Allocate(size_t{6} << 30).status().code(), StatusCode::kResourceExhausted);
  EXPECT_TRUE(CpuAllocator().Allocate(64 * kMega).ok());
  setrlimit(RLIMIT_AS, &before);
}
#endif

TEST(BufferTest, UntouchedBlocksCount) {
  std::vector<BufferPtr> held;  // grows beyond the memory of the machine; never written to
  Status status;
  while (status.ok() && held.size() < 100'000) {
    Result<BufferPtr> buffer = CpuAllocator().Allocate(size_t{1} << 30);
    status = buffer.status();
    if (buffer.ok()) held.push_back(*std::move(buffer));
  }
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
}

TEST(BufferTest, ManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (size_t i = 0; i < 300; ++i) {
        BufferPtr buffer = CpuAllocator().Allocate(kMega + (i % 7) * 300'000).value();
        auto* bytes = static_cast<unsigned char*>(buffer->data());
        bytes[0] = bytes[buffer->size() - 1] = static_cast<unsigned char>(t);
        std::this_thread::yield();
        ASSERT_EQ(bytes[0], t);
        ASSERT_EQ(bytes[buffer->size() - 1], t);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(BufferTest, WrappedMemoryIsReleasedByTheLastOwner) {
  int data = 7;
  int released = 0;
  BufferPtr a = WrapMemory(&data, sizeof(data), [&] { ++released; });
  BufferPtr b = a;
  EXPECT_EQ(a->data(), &data);
  a = nullptr;
  EXPECT_EQ(released, 0);
  EXPECT_TRUE(b->RefCountIsOne());
  b = nullptr;
  EXPECT_EQ(released, 1);
}

}  // namespace
}  // namespace weir

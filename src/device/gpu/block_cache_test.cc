#include "device/gpu/block_cache.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace weir {
namespace {

// Uses 64 MiB of host memory in place of GPU memory.
struct Machine {
  size_t left = 64 << 20;
  std::map<void*, size_t> taken;
  GpuBlockCache memory{"GPU 0",
                       [this](size_t bytes) -> void* {
                         if (bytes > left) return nullptr;
                         left -= bytes;
                         void* p = std::aligned_alloc(256, bytes);
                         taken[p] = bytes;
                         return p;
                       },
                       [this](void* p) {
                         left += taken[p];
                         taken.erase(p);
                         std::free(p);
                       }};
};

TEST(GpuBlockCache, ClassesWasteLittle) {
  for (size_t bytes = 1; bytes < size_t{1} << 40; bytes = bytes * 3 / 2 + 1) {
    const size_t size = GpuBlockCache::ClassOf(bytes);
    EXPECT_GE(size, bytes);
    EXPECT_EQ(size % 256, 0);
    EXPECT_LE(size - bytes, std::max<size_t>(255, bytes / 8));
    EXPECT_EQ(GpuBlockCache::ClassOf(size), size);
  }
}

TEST(GpuBlockCache, GivesFreedBlocksOutAgain) {
  Machine m;
  void* a = *m.memory.Allocate(1000);
  void* b = *m.memory.Allocate(1000);
  EXPECT_NE(a, b);
  EXPECT_EQ(m.memory.use().in_use, 2048);
  m.memory.Free(a);
  EXPECT_EQ(*m.memory.Allocate(900), a);
  EXPECT_EQ(m.memory.use().reserved, 4 << 20) << "small blocks share a slab";
  EXPECT_EQ(*m.memory.Allocate(0), nullptr);
  EXPECT_TRUE(m.memory.Contains(static_cast<char*>(b) + 24, 1000));
  EXPECT_FALSE(m.memory.Contains(static_cast<char*>(b) + 25, 1000));
  EXPECT_FALSE(m.memory.Contains(&m, 1));
}

TEST(GpuBlockCache, ReleasesTheCacheBeforeItRefuses) {
  Machine m;
  void* a = *m.memory.Allocate(40 << 20);
  m.memory.Free(a);
  EXPECT_TRUE(m.memory.Allocate(50 << 20).ok());
  const Status refused = m.memory.Allocate(20 << 20).status();
  EXPECT_EQ(refused.code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(
      std::string(refused.message()),
      "GPU 0 does not have enough memory for 20971520 bytes: 54525952 bytes are in use, 54525952 bytes are reserved");
  EXPECT_EQ(m.memory.Allocate(~size_t{0}).status().code(), StatusCode::kResourceExhausted);
}

TEST(GpuBlockCache, EnforcesTheLimit) {
  Machine m;
  m.memory.SetLimit(10 << 20);
  EXPECT_EQ(m.memory.Allocate(11 << 20).status().code(), StatusCode::kResourceExhausted);
  void* a = *m.memory.Allocate(9 << 20);
  EXPECT_FALSE(m.memory.Allocate(9 << 20).ok());
  m.memory.Free(a);
  m.memory.ReleaseCache();
  EXPECT_EQ(m.memory.use().reserved, 0);
  EXPECT_EQ(m.left, size_t{64} << 20);
}

}  // namespace
}  // namespace weir

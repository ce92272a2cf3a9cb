#include "cluster/host/host_mappings.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "tensor/tensor.h"

namespace weir {
namespace {

// Maps blocks of this process, which is its own peer.
class HostMappingsTest : public testing::Test {
 protected:
  static Tensor Shared() {
    ShareLargeBlocks();
    return Tensor::Zeros(kUint8, Shape{1 << 20}).value();
  }
  SharedBlock Block() const { return FindSharedBlock(tensor_.raw(), tensor_.num_bytes()).value(); }
  // Null if it cannot be mapped.
  std::shared_ptr<const char> Find(const SharedBlock& block) {
    return mappings_.Find(getpid(), block).value_or(nullptr);
  }
  static bool IsMapped(const char* bytes) {
    unsigned char pages = 0;
    return mincore(const_cast<char*>(bytes), 1, &pages) == 0;
  }

  const Tensor tensor_ = Shared();
  HostMappings mappings_;
};

TEST_F(HostMappingsTest, BlockIsMappedOnceAndCached) {
  const int64_t now = RealClock().MonotonicNanos();
  std::shared_ptr<const char> bytes = Find(Block());
  ASSERT_NE(bytes, nullptr);
  static_cast<char*>(tensor_.raw())[7] = '!';
  EXPECT_EQ(bytes.get()[7], '!');
  const char* const where = bytes.get();
  EXPECT_EQ(Find(Block()).get(), where);
  // A mapping with references counts as used.
  const int64_t later = now + 3 * HostMappings::kKeepNanos;
  EXPECT_TRUE(mappings_.Sweep(later));
  EXPECT_EQ(Find(Block()).get(), where);
  EXPECT_TRUE(mappings_.Sweep(later));
  bytes = nullptr;
  EXPECT_TRUE(mappings_.Sweep(later + HostMappings::kKeepNanos - 1));
  EXPECT_TRUE(IsMapped(where));
  EXPECT_FALSE(mappings_.Sweep(later + HostMappings::kKeepNanos));
  EXPECT_FALSE(IsMapped(where));
  EXPECT_NE(Find(Block()), nullptr);
}

TEST_F(HostMappingsTest, ReuseExtendsTheLifetime) {
  ASSERT_NE(Find(Block()), nullptr);
  const int64_t before = RealClock().MonotonicNanos();
  ASSERT_NE(Find(Block()), nullptr);
  EXPECT_TRUE(mappings_.Sweep(before + HostMappings::kKeepNanos - 1));
}

TEST_F(HostMappingsTest, FailedMappingsLeaveNoEntry) {
  SharedBlock wrong = Block();
  ++wrong.id;
  EXPECT_EQ(mappings_.Find(getpid(), wrong).status().code(), StatusCode::kUnavailable);
  EXPECT_FALSE(mappings_.Sweep(RealClock().MonotonicNanos()));
}

TEST_F(HostMappingsTest, ChangedSizeIsMappedAgain) {
  const std::shared_ptr<const char> bytes = Find(Block());
  ASSERT_NE(bytes, nullptr);
  SharedBlock larger = Block();
  larger.capacity *= 2;
  EXPECT_FALSE(mappings_.Find(getpid(), larger).ok());
  EXPECT_EQ(Find(Block()).get()[0], '\0');
}

}  // namespace
}  // namespace weir

#include "base/rng.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

using Block = Philox::Block;

// The known answers published with the algorithm.
TEST(PhiloxTest, KnownAnswers) {
  EXPECT_EQ(Philox(Block{}, {})(), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox(Block{~0u, ~0u, ~0u, ~0u}, {~0u, ~0u})(), (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox(Block{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0})(),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// The results of TensorFlow 2.21 for this key and a counter whose low half is about to overflow.
TEST(PhiloxTest, AgreesWithTensorFlowAcrossTheCarry) {
  Philox philox(0x0123456789abcdefull, 5);
  philox.Skip(~uint64_t{0});
  EXPECT_EQ(philox(), (Block{0xf02791c6, 0xea2026ee, 0x4fe73934, 0xc174f57d}));
  EXPECT_EQ(philox(), (Block{0x15706cf1, 0x6ae9fc63, 0x7705da3a, 0xde25adea}));
  EXPECT_EQ(philox(), (Block{0x912a9f2d, 0x8208c7c4, 0x122772e4, 0x0cb3f6f6}));
}

TEST(PhiloxTest, SkipEqualsThatManyCalls) {
  Philox called(42, 7);
  Philox skipped = called;
  for (int i = 0; i < 1000; ++i) called();
  skipped.Skip(1000);
  EXPECT_EQ(called.counter(), skipped.counter());
  EXPECT_EQ(called(), skipped());
}

TEST(PhiloxTest, SkipCarriesThroughAllFourWords) {
  Philox philox(Block{~0u, ~0u, ~0u, 1}, {});
  philox.Skip(1);
  EXPECT_EQ(philox.counter(), (Block{0, 0, 0, 2}));
  philox.Skip((uint64_t{1} << 32) + 3);
  EXPECT_EQ(philox.counter(), (Block{3, 1, 0, 2}));
}

TEST(RngTest, SeedsRepeat) {
  SeededRng a(5);
  SeededRng b(5);
  SeededRng c(6);
  const uint64_t first = a.Next64();
  EXPECT_EQ(first, b.Next64());
  EXPECT_NE(first, c.Next64());
}

TEST(RngTest, BoundsHold) {
  SeededRng rng(1);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_LT(rng.Below(7), 7u);
    const double unit = rng.NextUnit();
    EXPECT_GE(unit, 0.0);
    EXPECT_LT(unit, 1.0);
  }
  EXPECT_EQ(rng.Below(1), 0u);
}

TEST(RngTest, RealRngValuesDiffer) { EXPECT_NE(RealRng().Next64(), RealRng().Next64()); }

}  // namespace
}  // namespace weir

#include "tensor/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace weir {
namespace {

uint16_t H(float f) { return half(f).bits; }
uint16_t B(float f) { return bfloat16(f).bits; }
float FloatOf(uint32_t bits) { return std::bit_cast<float>(bits); }

TEST(HalfTest, KnownBits) {
  EXPECT_EQ(H(0.0f), 0x0000);
  EXPECT_EQ(H(-0.0f), 0x8000);
  EXPECT_EQ(H(1.0f), 0x3c00);
  EXPECT_EQ(H(-2.0f), 0xc000);
  EXPECT_EQ(H(65504.0f), 0x7bff);             // the largest
  EXPECT_EQ(H(0x1p-14f), 0x0400);             // the smallest normal
  EXPECT_EQ(H(0x1p-24f), 0x0001);             // the smallest subnormal
  EXPECT_EQ(H(FloatOf(0x387fc000)), 0x03ff);  // the largest subnormal
  EXPECT_EQ(H(1.0f / 3), 0x3555);
  EXPECT_EQ(H(std::numeric_limits<float>::infinity()), 0x7c00);
  EXPECT_EQ(H(-std::numeric_limits<float>::infinity()), 0xfc00);
}

TEST(HalfTest, RoundsToNearestEven) {
  EXPECT_EQ(H(1.0f + 0x1p-11f), 0x3c00);             // halfway, down to even
  EXPECT_EQ(H(1.0f + 3 * 0x1p-11f), 0x3c02);         // halfway, up to even
  EXPECT_EQ(H(1.0f + 0x1p-11f + 0x1p-20f), 0x3c01);  // just above halfway
  EXPECT_EQ(H(65519.0f), 0x7bff);
  EXPECT_EQ(H(65520.0f), 0x7c00);  // halfway to what would be 2^16: infinity
  EXPECT_EQ(H(1e30f), 0x7c00);
  EXPECT_EQ(H(0x1p-25f), 0x0000);  // halfway to the smallest subnormal
  EXPECT_EQ(H(0x1.8p-25f), 0x0001);
  EXPECT_EQ(H(3 * 0x1p-25f), 0x0002);
  EXPECT_EQ(H(std::numeric_limits<float>::denorm_min()), 0x0000);
  EXPECT_EQ(H(FloatOf(0x387fffff)), 0x0400);  // a subnormal that rounds up to a normal
}

TEST(HalfTest, NaNStaysNaN) {
  EXPECT_TRUE(std::isnan(float(half(std::nanf("")))));
  EXPECT_EQ(H(FloatOf(0x7f800001)), 0x7e00);  // the smallest payload is not lost to infinity
  EXPECT_EQ(H(FloatOf(0xff800001)), 0xfe00);
}

TEST(HalfTest, AllValuesSurviveTheRoundTrip) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const float f = half::FromBits(static_cast<uint16_t>(bits));
    if (std::isnan(f)) {
      EXPECT_TRUE((bits & 0x7c00) == 0x7c00 && (bits & 0x3ff) != 0);
    } else {
      EXPECT_EQ(H(f), bits);
    }
  }
}

TEST(BFloat16Test, KnownBits) {
  EXPECT_EQ(B(0.0f), 0x0000);
  EXPECT_EQ(B(-0.0f), 0x8000);
  EXPECT_EQ(B(1.0f), 0x3f80);
  EXPECT_EQ(B(1.0f / 3), 0x3eab);
  EXPECT_EQ(B(std::numeric_limits<float>::infinity()), 0x7f80);
  EXPECT_EQ(B(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(B(FloatOf(0x00010000)), 0x0001);  // subnormals are kept
}

TEST(BFloat16Test, RoundsToNearestEven) {
  EXPECT_EQ(B(FloatOf(0x3f808000)), 0x3f80);
  EXPECT_EQ(B(FloatOf(0x3f818000)), 0x3f82);
  EXPECT_EQ(B(FloatOf(0x3f808001)), 0x3f81);
  EXPECT_EQ(B(FloatOf(0x00008000)), 0x0000);
  EXPECT_EQ(B(FloatOf(0x00018000)), 0x0002);
}

TEST(BFloat16Test, NaNStaysNaN) {
  EXPECT_TRUE(std::isnan(float(bfloat16(FloatOf(0x7f800001)))));
  EXPECT_TRUE(std::isnan(float(bfloat16(FloatOf(0xffffffff)))));
}

TEST(SixteenBitsTest, FromOtherNumbers) {
  EXPECT_EQ(float(half(7)), 7.0f);
  EXPECT_EQ(float(half(0.5)), 0.5f);
  EXPECT_EQ(float(bfloat16(int64_t{256})), 256.0f);
  EXPECT_EQ(float(half(half(1.5f) + half(2.0f))), 3.5f);
}

}  // namespace
}  // namespace weir

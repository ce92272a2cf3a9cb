#include "base/crc32c.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "base/rng.h"

namespace weir {
namespace {

// The vectors of RFC 3720, B.4.
TEST(Crc32cTest, KnownVectors) {
  EXPECT_EQ(crc32c::Value(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c::Value(std::string(32, '\xff')), 0x62a8ab43u);
  std::string up(32, '\0');
  std::iota(up.begin(), up.end(), '\0');
  EXPECT_EQ(crc32c::Value(up), 0x46dd794eu);
  EXPECT_EQ(crc32c::Value(std::string(up.rbegin(), up.rend())), 0x113fdb5cu);
  EXPECT_EQ(crc32c::Value("123456789"), 0xe3069283u);
  EXPECT_EQ(crc32c::Value(""), 0u);
}

TEST(Crc32cTest, ExtendContinues) {
  const uint32_t whole = crc32c::Value("hello world");
  EXPECT_EQ(crc32c::Extend(crc32c::Value("hello "), "world", 5), whole);
}

TEST(Crc32cTest, FastAndPortableAgreeAtAllLengthsAndOffsets) {
  SeededRng rng(1);
  std::string data(10'000, '\0');
  for (char& c : data) c = static_cast<char>(rng.Next64());
  for (size_t size : {size_t{0}, size_t{1}, size_t{7}, size_t{8}, size_t{63}, size_t{3071}, size_t{3072}, size_t{3073},
                      size_t{6144}, size_t{9990}}) {
    for (size_t offset = 0; offset < 9; ++offset) {
      EXPECT_EQ(crc32c::Value(data.data() + offset, size), crc32c::ExtendPortable(0, data.data() + offset, size))
          << size << " bytes at " << offset;
    }
  }
}

TEST(Crc32cTest, MaskAndBack) {
  const uint32_t crc = crc32c::Value("foo");
  EXPECT_NE(crc32c::Mask(crc), crc);
  EXPECT_NE(crc32c::Mask(crc32c::Mask(crc)), crc);
  EXPECT_EQ(crc32c::Unmask(crc32c::Mask(crc)), crc);
}

}  // namespace
}  // namespace weir

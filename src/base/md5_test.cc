#include "base/md5.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace weir {
namespace {

std::string Hex(std::string_view text) {
  std::string hex;
  for (const uint8_t byte : Md5(text)) hex += fmt::format("{:02x}", byte);
  return hex;
}

TEST(Md5, TestVectorsOfRfc1321) {
  EXPECT_EQ(Hex(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(Hex("abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(Hex("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
  EXPECT_EQ(Hex("12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
            "57edf4a22be3c955ac49da2e2107b67a");
}

}  // namespace
}  // namespace weir

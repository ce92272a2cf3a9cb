#include "base/log.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(LogTest, LinesGoToStandardErrorWithoutColours) {
  if (!LogEnabled(LogLevel::kError)) GTEST_SKIP() << "logging is off in this environment";
  testing::internal::CaptureStderr();
  LogError("{} went wrong {{}}", 3);
  LogLine(LogLevel::kError, "as it is: {}");
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find(" E 3 went wrong {}\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" E as it is: {}\n"), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
}

}  // namespace
}  // namespace weir

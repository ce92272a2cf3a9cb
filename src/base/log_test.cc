#include "base/log.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "base/log_environment.h"

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

// Runs in a fresh process, because the level is read once.
class LogEnvironmentDeathTest : public testing::Test {
 protected:
  LogEnvironmentDeathTest() {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    unsetenv("TF_CPP_MIN_LOG_LEVEL");
  }
  ~LogEnvironmentDeathTest() override {
    if (log_.has_value()) {
      setenv("WEIR_LOG", log_->c_str(), 1);
    } else {
      unsetenv("WEIR_LOG");
    }
    if (tensorflow_.has_value()) setenv("TF_CPP_MIN_LOG_LEVEL", tensorflow_->c_str(), 1);
  }
  [[noreturn]] static void LogAndExit() {
    LogInfo("first");
    LogInfo("second");
    std::exit(LogLevelIsFromEnvironment() ? 1 : 0);
  }

 private:
  static std::optional<std::string> Variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  }
  const std::optional<std::string> log_ = Variable("WEIR_LOG");
  const std::optional<std::string> tensorflow_ = Variable("TF_CPP_MIN_LOG_LEVEL");
};

TEST_F(LogEnvironmentDeathTest, AnUnknownLevelIsReportedOnceAndIgnored) {
  setenv("WEIR_LOG", "loud", 1);
  EXPECT_EXIT(LogAndExit(), testing::ExitedWithCode(0),
              "^[^\n]* W WEIR_LOG is 'loud', which is ignored; use debug, info, warning, error or off\n[^\n]* I "
              "first\n[^\n]* I second\n$");
}

TEST_F(LogEnvironmentDeathTest, AKnownLevelIsUsed) {
  setenv("WEIR_LOG", "warning", 1);
  EXPECT_EXIT(LogAndExit(), testing::ExitedWithCode(1), "^$");
}

TEST_F(LogEnvironmentDeathTest, AnEmptyLevelIsNoLevel) {
  setenv("WEIR_LOG", "", 1);
  EXPECT_EXIT(LogAndExit(), testing::ExitedWithCode(0), "^[^\n]* I first\n[^\n]* I second\n$");
}

}  // namespace
}  // namespace weir

#include "base/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace weir {
namespace {

using testing::HasSubstr;

constexpr char kVariable[] = "WEIR_ENVIRONMENT_TEST";

class EnvironmentTest : public testing::Test {
 protected:
  void TearDown() override { unsetenv(kVariable); }
  static Result<std::optional<int64_t>> Read(const char* text, int64_t least = 1, int64_t most = 100) {
    setenv(kVariable, text, /*overwrite=*/1);
    return ReadEnvironment(EnvironmentNumber<int64_t>{kVariable, "things", least, most});
  }
};

TEST_F(EnvironmentTest, NumbersInTheRangeAreAccepted) {
  EXPECT_EQ(**Read("1"), 1);
  EXPECT_EQ(**Read("100"), 100);
  EXPECT_EQ(**Read("-7", -10), -7);
  EXPECT_EQ(ReadEnvironmentOr({kVariable, "things", -10}, 5), -7);
  setenv(kVariable, "1.5e2", /*overwrite=*/1);
  EXPECT_EQ(**ReadEnvironment(EnvironmentNumber<double>{kVariable, "seconds", 0}), 150.0);
}

TEST_F(EnvironmentTest, UnsetVariableHasNoValue) {
  const Result<std::optional<int64_t>> none = ReadEnvironment(EnvironmentNumber<int64_t>{kVariable, "things", 1});
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_FALSE(none->has_value());
  EXPECT_EQ(ReadEnvironmentOr({kVariable, "things", 1}, 5), 5);
}

TEST_F(EnvironmentTest, AnErrorSaysWhichValuesAreValid) {
  for (const char* text : {"", " ", "many", "0", "101", "-1", "5 ", "5x", "0x5", "5.0", "99999999999999999999"}) {
    const Status status = Read(text).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << text;
    EXPECT_EQ(status.message(),
              fmt::format("WEIR_ENVIRONMENT_TEST='{}' is not a number of things from 1 to 100", text));
    EXPECT_EQ(ReadEnvironmentOr({kVariable, "things", 1, 100}, 5), 5) << text;
  }
  EXPECT_THAT(std::string(Read("x", 1, std::numeric_limits<int64_t>::max()).status().message()),
              HasSubstr("from 1 on"));
  for (const char* text : {"nan", "inf", "-1", "soon", "1e10"}) {
    setenv(kVariable, text, /*overwrite=*/1);
    EXPECT_FALSE(ReadEnvironment(EnvironmentNumber<double>{kVariable, "seconds", 0, 1e9}).ok()) << text;
  }
}

}  // namespace
}  // namespace weir

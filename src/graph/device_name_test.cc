#include "graph/device_name.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

std::string Canonical(std::string_view text) {
  Result<DeviceName> name = DeviceName::Parse(text);
  return name.ok() ? name->ToString() : "error: " + std::string(name.status().message());
}

DeviceName Parsed(std::string_view text) {
  Result<DeviceName> name = DeviceName::Parse(text);
  EXPECT_TRUE(name.ok()) << name.status();
  return name.value_or(DeviceName());
}

TEST(DeviceName, ReadsEverySpelling) {
  const std::pair<const char*, const char*> cases[] = {
      {"/job:ps/replica:0/task:1/device:CPU:0", "/job:ps/replica:0/task:1/device:CPU:0"},
      {"/cpu:0", "/device:CPU:0"},
      {"/CPU:0", "/device:CPU:0"},
      {"/Cpu:0", "/device:CPU:0"},
      {"cpu:0", "/device:CPU:0"},
      {"/gpu:1", "/device:GPU:1"},
      {"/device:gpu:1", "/device:GPU:1"},
      {"/tpu:0", "/device:TPU:0"},
      {"/cpu", "/device:CPU:*"},
      {"/device:CPU", "/device:CPU:*"},
      {"/device:GPU:*", "/device:GPU:*"},
      {"/device:*:0", "/device:*:0"},
      {"/device:XLA_CPU:0", "/device:XLA_CPU:0"},
      {"/device:myDev:0", "/device:myDev:0"},
      {"/job:worker", "/job:worker"},
      {"job:worker", "/job:worker"},
      {"/job:*", ""},
      {"/job:ps/task:*", "/job:ps"},
      {"/job:ps//task:0/", "/job:ps/task:0"},
      {"/CPU:0/job:x", "/job:x/device:CPU:0"},
      {"/job:a/job:b", "/job:b"},
      {"", ""},
      {"/", ""},
  };
  for (const auto& [text, canonical] : cases) EXPECT_EQ(Canonical(text), canonical) << text;
}

TEST(DeviceName, ErrorsQuoteTheMalformedPart) {
  for (const char* text : {"/foo:1", "/job:", "/job:a b", "/job:1a", "/task:x", "/task:", "/task:-1", "/task:+1",
                           "/replica: 1", "/device:CPU:-1", "/device:CPU:99999999999", "/device:CPU:0:1",
                           "/device:", "/device", "/cpu:0/gpu:0", "/JOB:ps", "job", ":", "/task:1x"}) {
    Result<DeviceName> name = DeviceName::Parse(text);
    ASSERT_FALSE(name.ok()) << text;
    EXPECT_EQ(name.status().code(), StatusCode::kInvalidArgument);
    EXPECT_NE(name.status().message().find(std::string("'") + text + "'"), std::string::npos) << name.status();
  }
}

TEST(DeviceName, InnerPartsWin) {
  EXPECT_EQ(Parsed("/job:ps/task:1/cpu:0").MergedWith(Parsed("/job:worker")).ToString(),
            "/job:worker/task:1/device:CPU:0");
  EXPECT_EQ(Parsed("/cpu:0").MergedWith(Parsed("/gpu:*")).ToString(), "/device:GPU:0");
  EXPECT_EQ(Parsed("").MergedWith(Parsed("/gpu:2")).ToString(), "/device:GPU:2");
  EXPECT_EQ(Parsed("/gpu:2").MergedWith(Parsed("")).ToString(), "/device:GPU:2");
}

TEST(DeviceName, MatchesNamedDevices) {
  DeviceName full = Parsed("/job:ps/replica:0/task:1/device:CPU:0");
  for (const char* text : {"", "/job:ps", "/task:1", "/cpu:*", "/cpu:0", "/job:ps/replica:0/task:1/device:CPU:0"}) {
    EXPECT_TRUE(Parsed(text).Matches(full)) << text;
  }
  for (const char* text : {"/job:worker", "/task:0", "/gpu:*", "/cpu:1", "/replica:1"}) {
    EXPECT_FALSE(Parsed(text).Matches(full)) << text;
  }
  EXPECT_FALSE(full.Matches(Parsed("/job:ps")));
}

}  // namespace
}  // namespace weir

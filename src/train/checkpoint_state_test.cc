#include "train/checkpoint_state.h"

#include <gtest/gtest.h>

#include "base/env_fake.h"
#include "io/bundle_writer.h"

namespace weir {
namespace {

Status Save(Env& env, const std::string& prefix) {
  WEIR_ASSIGN(const std::unique_ptr<io::BundleWriter> writer, io::BundleWriter::Open(env, prefix));
  WEIR_TRY(writer->Add("v", Tensor::Vector<float>({1, 2, 3})));
  return writer->Finish();
}

TEST(CheckpointStateTest, RoundTripsThroughText) {
  tensorflow::CheckpointState state;
  state.set_model_checkpoint_path("/d/model \"x\"\n-3");
  state.add_all_model_checkpoint_paths("a\\b");
  state.add_all_model_checkpoint_paths(state.model_checkpoint_path());
  state.add_all_model_checkpoint_timestamps(1700000000.25);
  state.set_last_preserved_timestamp(5);
  const std::string text = FormatCheckpointState(state);
  const Result<tensorflow::CheckpointState> read = ParseCheckpointState(text);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->SerializeAsString(), state.SerializeAsString());
  EXPECT_EQ(text.substr(0, text.find('\n')), R"(model_checkpoint_path: "/d/model \"x\"\n-3")");
  const auto other =
      ParseCheckpointState("# a comment\nmodel_checkpoint_path:'one' \"two\" ; last_preserved_timestamp : 1e3");
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ(other->model_checkpoint_path(), "onetwo");
  EXPECT_EQ(other->last_preserved_timestamp(), 1000);
  for (const char* bad :
       {"model_checkpoint_path", "model_checkpoint_path: x", "model_checkpoint_path: \"x", "other: 1",
        "last_preserved_timestamp: x", "\xff", "model_checkpoint_path: \"\\q\"", "model_checkpoint_path: \"\\"})
    EXPECT_EQ(ParseCheckpointState(bad).status().code(), StatusCode::kInvalidArgument) << bad;
}

TEST(CheckpointStateTest, PathsAreRelativeToTheDirectory) {
  FakeEnv env;
  ASSERT_TRUE(env.MakeDirectories("/d").ok());
  ASSERT_TRUE(UpdateCheckpointState(env, "/d", "/d/m-2", {"/d/m-1", "/d/m-2"}, {.relative_paths = true}).ok());
  EXPECT_EQ(
      env.ReadFile("/d/checkpoint").value(),
      "model_checkpoint_path: \"m-2\"\nall_model_checkpoint_paths: \"m-1\"\nall_model_checkpoint_paths: \"m-2\"\n");
  const auto state = GetCheckpointState(env, "/d").value();
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ(state->model_checkpoint_path(), "/d/m-2");
  EXPECT_EQ(state->all_model_checkpoint_paths(0), "/d/m-1");
  EXPECT_EQ(MakeCheckpointState("logs", "logs/m", {}).value().model_checkpoint_path(), "m");
  EXPECT_EQ(MakeCheckpointState("", "m", {}).value().model_checkpoint_path(), "m");
  EXPECT_EQ(UpdateCheckpointState(env, "/d", "/d/checkpoint", {}).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(MakeCheckpointState("/d", "m", {}, {.timestamps = {1, 2}}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(MetaGraphName("/d/m-3"), "/d/m-3.meta");
  EXPECT_EQ(MetaGraphName("/d/m-3-?????"
                          "-of-00004"),
            "/d/m-3.meta");
}

TEST(CheckpointStateTest, TheLatestGoodOneIsFound) {
  FakeEnv env;
  ASSERT_TRUE(env.MakeDirectories("/d").ok());
  EXPECT_EQ(LatestCheckpoint(env, "/d").value(), std::nullopt);
  for (const char* prefix : {"/d/m-1", "/d/m-2", "/d/m-3"}) ASSERT_TRUE(Save(env, prefix).ok());
  ASSERT_TRUE(UpdateCheckpointState(env, "/d", "/d/m-3", {"/d/m-1", "/d/m-2", "/d/m-3"}).ok());
  EXPECT_EQ(LatestCheckpoint(env, "/d").value(), "/d/m-3");
  EXPECT_TRUE(CheckpointExists(env, "/d/m-3"));
  EXPECT_TRUE(CheckpointExists(env, "/d/m-*"));
  ASSERT_TRUE(env.DeleteFile("/d/m-3.data-00000-of-00001").ok());
  EXPECT_EQ(LatestCheckpoint(env, "/d").value(), "/d/m-2");
  std::string data = env.ReadFile("/d/m-2.data-00000-of-00001").value();
  data[3] = static_cast<char>(data[3] ^ 1);
  ASSERT_TRUE(env.WriteFile("/d/m-2.data-00000-of-00001", data).ok());
  EXPECT_EQ(LatestCheckpoint(env, "/d").value(), "/d/m-1");
  ASSERT_TRUE(RemoveCheckpoint(env, "/d/m-1").ok());
  EXPECT_FALSE(CheckpointExists(env, "/d/m-1"));
  EXPECT_EQ(LatestCheckpoint(env, "/d").value(), std::nullopt);
  ASSERT_TRUE(env.WriteFile("/d/checkpoint", "\x01\x02").ok());
  EXPECT_EQ(LatestCheckpoint(env, "/d").value(), std::nullopt);
  ASSERT_TRUE(env.WriteFile("/d/checkpoint", "").ok());
  EXPECT_EQ(LatestCheckpoint(env, "/d").status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace weir

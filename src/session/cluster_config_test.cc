#include "session/cluster_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/env_fake.h"

namespace weir {
namespace {

using testing::HasSubstr;

TEST(ClusterConfigTest, ClusterAndTask) {
  const ClusterConfig config = ClusterConfig::Parse(R"({
        "cluster": {"ps": ["a:1", "b:1"], "worker": {"0": "c:1", "12": "[::1]:1"}, "idle": []},
        "task": {"type": "worker", "index": 12},
        "environment": "cloud", "model_dir": null
      })",
                                                    "TF_CONFIG")
                                   .value();
  EXPECT_EQ(
      config.cluster,
      ClusterSpec::Make({{"ps", {{0, "a:1"}, {1, "b:1"}}}, {"worker", {{0, "c:1"}, {12, "[::1]:1"}}}, {"idle", {}}})
          .value());
  EXPECT_EQ(config.job_name, "worker");
  EXPECT_EQ(config.task_index, 12);
}

TEST(ClusterConfigTest, WithoutATask) {
  for (const char* text : {R"({"cluster": {"ps": ["a:1"]}})", R"({"cluster": {"ps": ["a:1"]}, "task": null})"}) {
    const ClusterConfig config = ClusterConfig::Parse(text, "x").value();
    EXPECT_EQ(config.cluster.TaskAddress("ps", 0).value(), "a:1");
    EXPECT_EQ(config.job_name, "");
  }
  EXPECT_TRUE(ClusterConfig::Parse(R"({"cluster": {}})", "x").value().cluster.empty());
}

TEST(ClusterConfigTest, IndexAsText) {
  EXPECT_EQ(ClusterConfig::Parse(R"({"cluster": {"ps": ["a:1", "b:1"]}, "task": {"type": "ps", "index": "1"}})", "x")
                .value()
                .task_index,
            1);
}

TEST(ClusterConfigTest, ErrorsNameTheInvalidPart) {
  const std::vector<std::pair<std::string, const char*>> cases = {
      {"", "x: invalid JSON: parse error at line 1, column 1"},
      {"{\n  \"cluster\": {,}}", "x: invalid JSON: parse error at line 2, column 15"},
      {"{\"cluster\": {}} tail", "x: invalid JSON"},
      {"{\"\xff\": 1}", "x: invalid JSON"},
      {"{\"cluster\": 1e999}", "x: invalid JSON"},
      {"[]", "x: it must be an object with \"cluster\" and \"task\", not an array"},
      {"{}", "x: there is no \"cluster\""},
      {R"({"cluster": "a:1"})", "x: \"cluster\": it must be an object from job to tasks, not a string"},
      {R"({"cluster": null})", "x: \"cluster\": it must be an object from job to tasks, not null"},
      {R"({"cluster": {"ps": "a:1"}})", "x: \"cluster\": job 'ps': tasks are a list of addresses"},
      {R"({"cluster": {"ps": [1]}})", "job 'ps': the address of task 0 is a number, not a string"},
      {R"({"cluster": {"ps": {"a": "a:1"}}})", "job 'ps': \"a\" is not the index of a task"},
      {R"({"cluster": {"ps": {"-1": "a:1"}}})", "\"-1\" is not the index of a task"},
      {R"({"cluster": {"ps": {"1": "a:1", "01": "b:1"}}})", "job 'ps': duplicate task 1"},
      {R"({"cluster": {"ps": ["a:1"], "ps": ["b:1"]}})", "x: duplicate key \"ps\""},
      {R"({"cluster": {}, "": 1, "": 2})", "x: duplicate key \"\""},
      {R"({"cluster": {"ps": ["a"]}})", "x: \"cluster\": task 0 of job 'ps': address 'a': the port is missing"},
      {R"({"cluster": {"p s": ["a:1"]}})", "x: \"cluster\": 'p s' is not a job name"},
      {R"({"cluster": {}, "task": 3})", "x: \"task\": it must be an object with \"type\" and \"index\", not a number"},
      {R"({"cluster": {}, "task": {}})", "x: \"task\": there is no \"type\""},
      {R"({"cluster": {}, "task": {"type": 3}})", "x: \"task\": \"type\" is a number, not the name of a job"},
      {R"({"cluster": {}, "task": {"type": "ps"}})", "x: \"task\": there is no \"index\""},
      {R"({"cluster": {}, "task": {"type": "ps", "index": 1.5}})", "\"index\" is 1.5, not the index of a task"},
      {R"({"cluster": {}, "task": {"type": "ps", "index": -1}})", "\"index\" is -1, not the index of a task"},
      {R"({"cluster": {}, "task": {"type": "ps", "index": 4294967296}})", "\"index\" is 4294967296"},
      {R"({"cluster": {}, "task": {"type": "ps", "index": 18446744073709551615}})",
       "\"index\" is 18446744073709551615"},
      {R"({"cluster": {}, "task": {"type": "ps", "index": "one"}})", "\"index\" is \"one\", not the index of a task"},
      {R"({"cluster": {}, "task": {"type": "ps", "index": ""}})", "\"index\" is \"\", not the index of a task"},
      {R"({"cluster": {}, "task": {"type": "ps", "index": 0}})",
       "x: \"task\": No such job in cluster: 'ps'; it has none"},
      {R"({"cluster": {"ps": ["a:1"]}, "task": {"type": "ps", "index": 1}})", "No task with index 1 in job 'ps'"},
      {std::string(100'000, '['), "x: invalid JSON"},
  };
  for (const auto& [text, message] : cases) {
    const Status status = ClusterConfig::Parse(text, "x").status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr(message)) << text.substr(0, 100);
  }
}

TEST(ClusterConfigTest, RoundTrips) {
  ClusterConfig config;
  config.cluster =
      ClusterSpec::Make({{"ps", {{0, "a:1"}, {1, "b:1"}}}, {"worker", {{3, "c:1"}}}, {"idle", {}}}).value();
  EXPECT_EQ(config.ToJson(), R"({"cluster":{"idle":[],"ps":["a:1","b:1"],"worker":{"3":"c:1"}}})");
  EXPECT_EQ(ClusterConfig::Parse(config.ToJson(), "x").value(), config);
  config.job_name = "worker";
  config.task_index = 3;
  EXPECT_EQ(ClusterConfig::Parse(config.ToJson(), "x").value(), config);
}

TEST(ClusterConfigTest, Files) {
  FakeEnv env;
  ASSERT_TRUE(env.WriteFile("/cluster.json", R"({"cluster": {"ps": ["a:1"]}})").ok());
  EXPECT_EQ(ClusterConfig::ReadFile(env, "/cluster.json").value().cluster.TaskAddress("ps", 0).value(), "a:1");
  ASSERT_TRUE(env.WriteFile("/wrong.json", "{}").ok());
  EXPECT_EQ(ClusterConfig::ReadFile(env, "/wrong.json").status(),
            InvalidArgument("/wrong.json: there is no \"cluster\""));
  EXPECT_EQ(ClusterConfig::ReadFile(env, "/none.json").status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace weir

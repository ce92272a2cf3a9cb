#include "session/task_role.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir {
namespace {

using testing::HasSubstr;

constexpr char kCluster[] =
    R"("cluster": {"chief": ["c:1"], "ps": ["p:1", "p:2"], "worker": ["w:1", "w:2"], "aaa": ["a:1"]})";

Result<TaskRole> RoleOf(const std::string& type, int index, const std::string& cluster = kCluster) {
  return TaskRole::FromTfConfig(fmt::format(R"({{{}, "task": {{"type": "{}", "index": {}}}}})", cluster, type, index));
}

std::string ErrorOf(const std::string& json) { return std::string(TaskRole::FromTfConfig(json).status().message()); }

TEST(TaskRoleTest, WithoutACluster) {
  for (const char* text : {"{}", R"({"task": {"type": "worker", "index": 0}})", R"({"cluster": {}, "task": {}})"})
    EXPECT_EQ(TaskRole::FromTfConfig(text).value(), TaskRole()) << text;
  const TaskRole given =
      TaskRole::FromTfConfig(R"({"session_master": "grpc://a", "eval_session_master": "grpc://b", "model_dir": "m"})")
          .value();
  EXPECT_EQ(given.master, "grpc://a");
  EXPECT_EQ(given.evaluation_master, "grpc://b");
  EXPECT_EQ(given.model_dir, "m");
}

TEST(TaskRoleTest, TasksOfACluster) {
  const TaskRole chief = RoleOf("chief", 0).value();
  EXPECT_TRUE(chief.is_chief);
  EXPECT_EQ(chief.master, "grpc://c:1");
  EXPECT_EQ(chief.num_ps_replicas, 2);
  EXPECT_EQ(chief.num_worker_replicas, 3);
  EXPECT_EQ(chief.global_id, 0);
  const TaskRole worker = RoleOf("worker", 1).value();
  EXPECT_FALSE(worker.is_chief);
  EXPECT_EQ(worker.master, "grpc://w:2");
  EXPECT_EQ(worker.global_id, 3);  // after the chief, the task of "aaa" and the first worker
  EXPECT_EQ(RoleOf("ps", 1).value().global_id, 5);
}

TEST(TaskRoleTest, AnEvaluatorIsNotInTheCluster) {
  const TaskRole evaluator = RoleOf("evaluator", 0).value();
  EXPECT_TRUE(evaluator.cluster.empty());
  EXPECT_FALSE(evaluator.is_chief);
  EXPECT_EQ(evaluator.master, "");
  EXPECT_EQ(evaluator.num_worker_replicas, 0);
  EXPECT_EQ(evaluator.global_id, std::nullopt);
}

TEST(TaskRoleTest, ASingleTaskNeedsNoServer) {
  EXPECT_EQ(RoleOf("chief", 0, R"("cluster": {"chief": ["c:1"]})").value().master, "");
  EXPECT_EQ(RoleOf("master", 0, R"("cluster": {"master": ["c:1"]})").value().is_chief, true);
}

TEST(TaskRoleTest, Errors) {
  EXPECT_THAT(ErrorOf("nonsense"), HasSubstr("TF_CONFIG"));
  EXPECT_THAT(ErrorOf(R"({"cluster": {"ps": ["p:1"]}, "task": {"type": "ps", "index": 0}})"),
              HasSubstr("it must have one \"chief\" node"));
  EXPECT_THAT(ErrorOf(R"({"cluster": {"chief": ["c:1", "d:1"]}, "task": {"type": "chief", "index": 0}})"),
              HasSubstr("only one \"chief\" node"));
  EXPECT_THAT(ErrorOf(R"({"cluster": {"chief": ["c:1"]}})"), HasSubstr("task type must be set"));
  EXPECT_THAT(ErrorOf(R"({"cluster": {"chief": ["c:1"]}, "task": {"type": "chief"}})"),
              HasSubstr("task index must be set"));
  EXPECT_THAT(std::string(RoleOf("worker", 2).status().message()), HasSubstr("2 is not a valid task_id"));
  EXPECT_THAT(std::string(RoleOf("baker", 0).status().message()), HasSubstr("baker is not a valid task_type"));
  EXPECT_THAT(std::string(RoleOf("evaluator", 0, R"("cluster": {"master": ["c:1"]})").status().message()),
              HasSubstr("`evaluator` is not supported"));
  EXPECT_THAT(ErrorOf(R"({"task": {"type": "chief", "index": 0}})"), HasSubstr("task type must be WORKER"));
  EXPECT_TRUE(IsTypeError(TaskRole::FromTfConfig(R"({"cluster": 3})").status()));
}

}  // namespace
}  // namespace weir

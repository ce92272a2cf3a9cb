// What each role does, with a program that only records its calls.
#include "train/train_and_evaluate.h"

#include <gmock/gmock.h>

#include "base/status.h"

namespace weir {
namespace {

using testing::ElementsAre;

class FakeProgram final : public EstimatorProgram {
 public:
  Status StartServer() override { return Note("server"); }
  Status JoinServer() override { return Note("join"); }
  Status Train(CheckpointListenerPtr listener) override {
    return Note(listener == nullptr ? "train" : "train and listen");
  }
  Result<int64_t> Evaluate(const std::string& checkpoint) override {
    WEIR_TRY(Note("evaluate " + checkpoint));
    return 6;
  }
  Status Export(const std::string&, bool is_last) override { return Note(is_last ? "export last" : "export"); }

  Status Note(const std::string& what) {
    calls.push_back(what);
    return OkStatus();
  }

  std::vector<std::string> calls;
};

class TrainAndEvaluateTest : public testing::Test {
 protected:
  TrainAndEvaluateTest() {
    config_.model_dir = testing::TempDir() + "/nothing_here";
    options_.log = options_.warning = [this](const std::string& line) { log_.push_back(line); };
    options_.max_steps = 6;
  }

  Status Run(const std::string& tf_config) {
    WEIR_ASSIGN(config_.role, TaskRole::FromTfConfig(tf_config));
    return TrainAndEvaluate(config_, program_, options_);
  }
  static std::string InCluster(const std::string& type, int index) {
    return fmt::format(R"({{"cluster": {{"chief": ["c:1"], "ps": ["p:1"], "worker": ["w:1", "w:2"], "baker": ["b:1"]}},
                           "task": {{"type": "{}", "index": {}}}}})",
                       type, index);
  }

  FakeProgram program_;
  RunConfig config_;
  TrainAndEvaluateOptions options_;
  std::vector<std::string> log_;
};

TEST_F(TrainAndEvaluateTest, TasksOfACluster) {
  config_.max_worker_delay_secs = 0;
  ASSERT_TRUE(Run(InCluster("chief", 0)).ok());
  ASSERT_TRUE(Run(InCluster("worker", 1)).ok());
  ASSERT_TRUE(Run(InCluster("ps", 0)).ok());
  EXPECT_THAT(program_.calls, ElementsAre("server", "train", "server", "train", "server", "join"));
  EXPECT_FALSE(Run(InCluster("baker", 0)).ok());
}

TEST_F(TrainAndEvaluateTest, ATaskAloneNeedsNoServer) {
  ASSERT_TRUE(Run(R"({"cluster": {"chief": ["c:1"]}, "task": {"type": "chief", "index": 0}})").ok());
  EXPECT_THAT(program_.calls, ElementsAre("train"));
}

TEST_F(TrainAndEvaluateTest, AProcessAloneAndAMasterEvaluateWhileTheyTrain) {
  ASSERT_TRUE(Run("{}").ok());
  ASSERT_TRUE(Run(R"({"cluster": {"master": ["c:1"], "ps": ["p:1"]}, "task": {"type": "master", "index": 0}})").ok());
  EXPECT_THAT(program_.calls, ElementsAre("train and listen", "server", "train and listen"));
}

TEST_F(TrainAndEvaluateTest, StartOfWorkersIsDelayed) {
  config_.max_worker_delay_secs = 0.05;
  ASSERT_TRUE(Run(InCluster("worker", 0)).ok());
  EXPECT_THAT(log_, testing::Contains(testing::HasSubstr("before starting training")));
}

}  // namespace
}  // namespace weir

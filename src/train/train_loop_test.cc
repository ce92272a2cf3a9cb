#include "train/train_loop.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include "graph/build/operators.h"
#include "graph/compose/variable.h"
#include "runtime/local_session.h"
#include "train/all_ops_test.h"
#include "train/checkpoint_state.h"
#include "train/checkpoint_wait.h"
#include "train/contrib_optimizers.h"

namespace weir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class TrainLoopTest : public ::testing::Test {
 protected:
  TrainLoopTest() {
    std::string dir = testing::TempDir() + "train_loop_XXXXXX";
    EXPECT_NE(mkdtemp(dir.data()), nullptr);
    logdir_ = dir + "/logs";
    step_ = Must(Variable::Make(graph(), Tensor::Scalar<int64_t>(0), {.name = "global_step", .trainable = false}));
    const VariablePtr w = Must(Variable::Make(graph(), 4.0f, {.name = "w"}));
    const Output loss = w->AsInput() * w->AsInput();
    Node* const train = Must(GradientDescentOptimizer(0.25).Minimize(loss, {.global_step = step_}));
    ops_of_step_.train_op = Must(TrainOpOf(loss, train));
    ops_of_step_.global_step = step_->value();
  }
  Graph& graph() { return *graph_; }
  SessionMaker make() {
    return [this]() -> Result<SessionPtr> {
      ++sessions_;
      return std::make_shared<LocalSession>(
          graph_, LocalSession::Dependencies{.pool = pool_, .blocking_pool = blocking_pool_, .env = RealEnv()});
    };
  }
  TrainLoop Loop(const TrainStepSettings& settings) {
    ops_of_step_.conditions = Must(MakeTrainStepConditions(graph(), step_->value(), settings));
    const LogSink log = [this](const std::string& line) { lines_.push_back(line); };
    return {.step = [this, log](const SessionPtr& session) -> Result<bool> {
              WEIR_ASSIGN(const TrainStepResult result, RunTrainStep(*session, ops_of_step_, log));
              losses_.push_back(*result.loss.data<float>());
              return result.should_stop;
            },
            .log = log};
  }

  AllOps ops_;
  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>(ops_.registry);
  ThreadPool pool_{"test", 2};
  ElasticPool blocking_pool_{"test_blocking"};
  std::string logdir_;
  VariablePtr step_;
  TrainStepOps ops_of_step_;
  std::vector<float> losses_;
  std::vector<std::string> lines_;
  int sessions_ = 0;
};

TEST_F(TrainLoopTest, TrainsToTheLimitAndSavesTheModel) {
  const TrainLoop loop = Loop({.number_of_steps = 3, .log_every_n_steps = 2});
  const auto sv = Must(Supervisor::Make(graph(), {.logdir = logdir_, .save_model_secs = 0}));
  EXPECT_TRUE(Train(*sv, make(), loop).ok());
  EXPECT_THAT(losses_, ElementsAre(16, 4, 1));
  ASSERT_EQ(lines_.size(), 3u);
  EXPECT_THAT(lines_[0], HasSubstr("global step"));
  EXPECT_THAT(lines_[2], HasSubstr("Saving model"));
  EXPECT_THAT(*Must(LatestCheckpoint(RealEnv(), logdir_)), HasSubstr("model.ckpt-3"));
}

TEST_F(TrainLoopTest, TheEndOfTheInputEndsTrainingWithoutAnError) {
  TrainLoop loop = Loop({.log_every_n_steps = 0});
  loop.step = [step = loop.step, n = 0](const SessionPtr& session) mutable -> Result<bool> {
    if (++n == 3) return OutOfRange("no more");
    return step(session);
  };
  const auto sv = Must(Supervisor::Make(graph(), {.logdir = logdir_, .save_model_secs = 0}));
  EXPECT_TRUE(Train(*sv, make(), loop).ok());
  EXPECT_EQ(losses_.size(), 2u);
  EXPECT_THAT(*Must(LatestCheckpoint(RealEnv(), logdir_)), HasSubstr("model.ckpt-2"));
}

TEST_F(TrainLoopTest, StartsOverAfterTheLossOfATask) {
  TrainLoop loop = Loop({.number_of_steps = 2, .log_every_n_steps = 0});
  loop.step = [step = loop.step, lost = false](const SessionPtr& session) mutable -> Result<bool> {
    if (!std::exchange(lost, true)) return Aborted("the task is gone");
    return step(session);
  };
  const auto sv = Must(Supervisor::Make(graph()));
  EXPECT_TRUE(Train(*sv, make(), loop).ok());
  EXPECT_EQ(sessions_, 2);
  EXPECT_THAT(losses_, ElementsAre(16, 4));
}

TEST_F(TrainLoopTest, OtherErrorsEndTraining) {
  TrainLoop loop = Loop({});
  loop.step = [](const SessionPtr&) -> Result<bool> { return DataLoss("broken"); };
  const auto sv = Must(Supervisor::Make(graph()));
  EXPECT_EQ(Train(*sv, make(), loop), DataLoss("broken"));
}

TEST_F(TrainLoopTest, TheChiefRunsItsNodesFirst) {
  TrainLoop loop = Loop({.number_of_steps = 5, .log_every_n_steps = 0});
  loop.chief_init = {step_->AssignAdd(Tensor::Scalar<int64_t>(4)).node};
  const auto sv = Must(Supervisor::Make(graph()));
  EXPECT_TRUE(Train(*sv, make(), loop).ok());
  EXPECT_EQ(losses_.size(), 1u);
}

TEST_F(TrainLoopTest, WaitsForACheckpoint) {
  const CheckpointWait wait{.pause_secs = 0.001, .timeout_secs = 0.01};
  EXPECT_EQ(Must(WaitForNewCheckpoint(logdir_, {}, wait)), std::nullopt);
  const TrainLoop loop = Loop({.number_of_steps = 1});
  const auto sv = Must(Supervisor::Make(graph(), {.logdir = logdir_, .save_model_secs = 0}));
  EXPECT_TRUE(Train(*sv, make(), loop).ok());
  const std::optional<std::string> found = Must(WaitForNewCheckpoint(logdir_, {}, wait));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(Must(WaitForNewCheckpoint(logdir_, found, wait)), std::nullopt);
}

TEST_F(TrainLoopTest, ALossThatIsNotFiniteIsAnError) {
  const Output nan = ops_of_step_.train_op * std::numeric_limits<float>::quiet_NaN();
  const Output checked = Must(TrainOpOf(nan, step_->initializer()));
  const auto sv = Must(Supervisor::Make(graph()));
  const Status status =
      sv->RunManaged(make(), [&](const SessionPtr& session) { return session->Run({.fetches = {checked}}).status(); });
  EXPECT_THAT(std::string(status.message()), HasSubstr("LossTensor is inf or nan"));
}

}  // namespace
}  // namespace weir

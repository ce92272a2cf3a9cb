// Averages of a variable or a tensor over three steps. The expected numbers are TensorFlow's.
#include "train/moving_averages.h"

#include "graph/flow_session_test.h"

namespace weir {
namespace {

using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;

class MovingAveragesTest : public FlowTest {
 protected:
  // The average after each of three steps in which the variable grows by (1, 0.5) and the count by 1.
  std::vector<float> Follow(Node* update, const VariablePtr& average) {
    const Output grow = var_->AssignAdd(Tensor::Vector<float>({1, 0.5f}));
    const Output count = updates_->AssignAdd(1.0f);
    Node* initialize = InitializeVariables(graph(), GlobalVariables(graph()));
    EXPECT_TRUE(Run({}, {}, {initialize}).ok());
    std::vector<float> seen;
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(Run({}, {}, {grow.node, count.node}).ok());
      EXPECT_TRUE(Run({}, {}, {update}).ok());
      for (float value : Floats(average->ReadValue())) seen.push_back(value);
    }
    return seen;
  }

  VariablePtr var_ = Must(Variable::Make(graph(), Tensor::Vector<float>({1, -2}), {.name = "w"}));
  VariablePtr updates_ = Must(Variable::Make(graph(), 0.0f, {.name = "n", .trainable = false}));
};

TEST_F(MovingAveragesTest, FollowsAVariable) {
  ExponentialMovingAverage averages(0.9f, {});
  Node* update = Must(averages.Apply(graph()));
  const VariablePtr average = averages.Average(var_);
  ASSERT_NE(average, nullptr);
  EXPECT_EQ(average->name(), "w/ExponentialMovingAverage:0");
  EXPECT_EQ(averages.Average(updates_), nullptr);
  EXPECT_THAT(Follow(update, average), Pointwise(FloatNear(2e-6f), {1.1f, -1.95f, 1.29f, -1.855f, 1.561f, -1.7195f}));
  const std::map<std::string, VariablePtr> restored = averages.VariablesToRestore(graph());
  EXPECT_EQ(restored.at("w/ExponentialMovingAverage"), var_);
  EXPECT_EQ(restored.at("n"), updates_);
}

TEST_F(MovingAveragesTest, NumUpdatesLowersDecay) {
  ExponentialMovingAverage averages(0.9f, {.num_updates = updates_->AsInput()});
  Node* update = Must(averages.Apply(graph(), {var_}));
  EXPECT_THAT(
      Follow(update, averages.Average(var_)),
      Pointwise(FloatNear(2e-6f), {1.8181818f, -1.5909091f, 2.7045455f, -1.1477273f, 3.6013987f, -0.69930065f}));
}

TEST_F(MovingAveragesTest, DebiasesTensorAverages) {
  const Output twice = var_->AsInput() * 2.0f;
  ExponentialMovingAverage averages(0.9f, {.zero_debias = true});
  Node* update = Must(averages.ApplyTensor(twice));
  const VariablePtr average = averages.Average(twice);
  ASSERT_NE(average, nullptr);
  EXPECT_THAT(Follow(update, average),
              Pointwise(FloatNear(5e-6f), {4.0f, -3.0f, 5.0526314f, -2.4736838f, 6.1402206f, -1.9298891f}));
}

TEST_F(MovingAveragesTest, RejectsInvalidValues) {
  ExponentialMovingAverage averages(0.9f, {});
  EXPECT_THAT(Message(averages.ApplyTensor(Output())), HasSubstr("not a tensor"));
  EXPECT_THAT(Message(averages.ApplyTensor(PlaceholderOf(PartialShape()))), HasSubstr("static shape"));
  EXPECT_THAT(Message(averages.ApplyTensor(Constant(graph(), Tensor::Scalar(1)))), HasSubstr("floating"));
  const VariablePtr whole = Must(Variable::Make(graph(), 1, {.name = "whole"}));
  EXPECT_THAT(Message(averages.Apply(graph(), {whole})), HasSubstr("'whole:0' is int32"));
  EXPECT_THAT(Message(averages.Apply(graph(), {nullptr})), HasSubstr("no variable"));
  ASSERT_TRUE(averages.Apply(graph(), {var_}).ok());
  EXPECT_THAT(Message(averages.Apply(graph(), {var_})), HasSubstr("exists already"));
}

}  // namespace
}  // namespace weir

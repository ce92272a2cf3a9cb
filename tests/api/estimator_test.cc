// An estimator in C++, with the public headers only: it trains, evaluates, predicts, exports and continues.
#include "weir/estimator.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "weir/weir.h"

namespace weir {
namespace {

// Points of y = 2 x, all in one batch.
EstimatorInput Points(Graph& g) {
  return {.features = {{"x", Constant(g, Tensor::Vector<float>({1, 2, 3}))}},
          .labels = {{"y", Constant(g, Tensor::Vector<float>({2, 4, 6}))}}};
}

EstimatorSpec Line(Graph& g, const EstimatorInput& input, EstimatorMode mode) {
  const Output x = input.features.at("x");
  const Var slope = GetVariable(g, "slope", PartialShape::Scalar());
  const Output y = x * slope;
  EstimatorSpec spec;
  spec.predictions = {{"y", y}};
  if (mode == EstimatorMode::kPredict) return spec;
  const Output labels = input.labels.at("y");
  spec.loss = ReduceMean(Square(y - labels));
  const auto error = ValueOrThrow(metrics::MeanAbsoluteError(g, labels, y));
  spec.metrics = {{"error", error.value, error.update.node}};
  const VariablePtr step = ValueOrThrow(GetOrCreateGlobalStep(g));
  spec.train_op = ValueOrThrow(GradientDescentOptimizer(0.05).Minimize(spec.loss, {.global_step = step}));
  return spec;
}

class EstimatorTest : public testing::Test {
 protected:
  ~EstimatorTest() override { std::filesystem::remove_all(folder_); }
  const std::string folder_ = testing::TempDir() + "/cpp_estimator";
  Engine engine_;
};

TEST_F(EstimatorTest, TrainsEvaluatesAndPredicts) {
  Estimator estimator(engine_, Line, {.model_dir = folder_, .random_seed = 1});
  const std::optional<Tensor> loss = estimator.Train(Points, {.steps = 40});
  ASSERT_TRUE(loss.has_value());
  EXPECT_LT(loss->scalar<float>(), 1e-3f);

  const Evaluation evaluation = estimator.Evaluate(Points, {.steps = 1});
  EXPECT_EQ(evaluation.global_step, 40);
  EXPECT_LT(evaluation.metrics.at("loss").scalar<float>(), 1e-3f);
  EXPECT_LT(evaluation.metrics.at("error").scalar<float>(), 0.1f);
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/eval"));

  auto predictions = estimator.Predict(Points);
  const auto batch = ValueOrThrow(predictions->Next());
  ASSERT_TRUE(batch.has_value());
  EXPECT_NEAR((*batch)[0].data<float>()[2], 6, 0.1);
  ThrowIfError(predictions->Close());
}

TEST_F(EstimatorTest, ContinuesWhereItEnded) {
  {
    Estimator estimator(engine_, Line, {.model_dir = folder_});
    estimator.Train(Points, {.max_steps = 5});
  }
  Estimator estimator(engine_, Line, {.model_dir = folder_});
  EXPECT_FALSE(estimator.Train(Points, {.max_steps = 5}).has_value());
  estimator.Train(Points, {.steps = 2});
  EXPECT_EQ(estimator.Evaluate(Points, {.steps = 1, .name = "again"}).global_step, 7);
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/eval_again"));
}

TEST_F(EstimatorTest, EvaluatesItsCheckpointsWhileItTrains) {
  Estimator estimator(engine_, Line, {.model_dir = folder_, .save_checkpoints = {.every_steps = 4}});
  std::vector<int64_t> evaluated;
  TrainAndEvaluate(estimator, {.input = Points, .options = {.max_steps = 10}},
                   {.input = Points,
                    .options = {.steps = 1},
                    .throttle_secs = 0,
                    .done = [&](const Evaluation& evaluation, const std::string&, bool is_last) {
                      evaluated.push_back(evaluation.global_step);
                      EXPECT_EQ(is_last, evaluation.global_step == 10);
                      return OkStatus();
                    }});
  EXPECT_THAT(evaluated, testing::ElementsAre(4, 8, 10));
}

TEST_F(EstimatorTest, ExceptionsOfTheModelAreRethrown) {
  Estimator estimator(engine_,
                      [](Graph&, const EstimatorInput&, EstimatorMode) -> EstimatorSpec {
                        throw Error(StatusCode::kInvalidArgument, "no such model");
                      },
                      {.model_dir = folder_});
  EXPECT_THROW(estimator.Train(Points, {.steps = 1}), Error);
}

}  // namespace
}  // namespace weir

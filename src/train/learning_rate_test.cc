// Schedules at a few steps. The expected numbers are TensorFlow's.
#include "train/learning_rate.h"

#include "graph/flow_session_test.h"

namespace weir {
namespace {

using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;

class LearningRateTest : public FlowTest {
 protected:
  // The rate at steps 0, 3, 7, 10 and 25.
  std::vector<float> Rates(Output rate) {
    std::vector<float> rates;
    for (int64_t step : {0, 3, 7, 10, 25}) rates.push_back(Float(rate, {{step_, Tensor::Scalar(step)}}));
    return rates;
  }
  void Expect(Output rate, std::vector<float> wanted) { EXPECT_THAT(Rates(rate), Pointwise(FloatNear(1e-6f), wanted)); }

  Output step_ = PlaceholderOf(PartialShape::Scalar(), kInt64);
};

TEST_F(LearningRateTest, DecaysExponentially) {
  Graph& g = graph();
  Expect(ExponentialDecay(g, 0.5f, step_, 10, 0.8f), {0.5f, 0.46762422f, 0.42769384f, 0.4f, 0.28621671f});
  Expect(ExponentialDecay(g, 0.5f, step_, 10, 0.8f, {.staircase = true}), {0.5f, 0.5f, 0.5f, 0.4f, 0.32f});
  Expect(NaturalExpDecay(g, 0.5f, step_, 10, 0.8f), {0.5f, 0.39331391f, 0.28560454f, 0.22466448f, 0.067667641f});
  Expect(NaturalExpDecay(g, 0.5f, step_, 10, 0.8f, {.staircase = true}), {0.5f, 0.5f, 0.5f, 0.22466448f, 0.10094826f});
  Expect(InverseTimeDecay(g, 0.5f, step_, 10, 0.8f), {0.5f, 0.40322581f, 0.3205128f, 0.27777776f, 0.16666666f});
  Expect(InverseTimeDecay(g, 0.5f, step_, 10, 0.8f, {.staircase = true}), {0.5f, 0.5f, 0.5f, 0.27777779f, 0.1923077f});
}

TEST_F(LearningRateTest, DecaysToAFinalValue) {
  Graph& g = graph();
  Expect(PolynomialDecay(g, 0.5f, step_, 10, 0.1f, 2.0f), {0.5f, 0.296f, 0.136f, 0.1f, 0.1f});
  Expect(PolynomialDecay(g, 0.5f, step_, 10, 0.1f, 2.0f, /*cycle=*/true), {0.5f, 0.296f, 0.136f, 0.1f, 0.11111111f});
  Expect(CosineDecay(g, 0.5f, step_, 10, 0.1f), {0.5f, 0.40725169f, 0.14274833f, 0.05f, 0.05f});
  Expect(CosineDecayRestarts(g, 0.5f, step_, 4, 2, 0.5f, 0.1f),
         {0.5f, 0.11590098f, 0.20555188f, 0.082950488f, 0.059479833f});
  Expect(CosineDecayRestarts(g, 0.5f, step_, 4, 1, 0.5f, 0.1f),
         {0.5f, 0.11590098f, 0.082950488f, 0.10625f, 0.056001548f});
  Expect(LinearCosineDecay(g, 0.5f, step_, 10, 0.5f, 0.1f, 0.01f), {0.555f, 0.32255706f, 0.04622148f, 0.005f, 0.005f});
}

TEST_F(LearningRateTest, NoiseDecays) {
  // Without variance it equals LinearCosineDecay.
  Expect(NoisyLinearCosineDecay(graph(), 0.5f, step_, 10, 0, 0.55f, 0.5f, 0.1f, 0.01f),
         {0.555f, 0.32255706f, 0.04622148f, 0.005f, 0.005f});
  const Output noisy = NoisyLinearCosineDecay(graph(), 0.5f, step_, 10, 1, 0.55f, 0.5f, 0.1f, 0.01f);
  EXPECT_NE(Float(noisy, {{step_, Tensor::Scalar(int64_t{3})}}), Float(noisy, {{step_, Tensor::Scalar(int64_t{3})}}));
}

TEST_F(LearningRateTest, PiecewiseConstant) {
  Expect(PiecewiseConstant(graph(), step_, {int64_t{3}, int64_t{10}}, {0.5f, 0.2f, 0.1f}),
         {0.5f, 0.5f, 0.2f, 0.2f, 0.1f});
  PiecewiseConstant(graph(), step_, {int64_t{3}}, {0.5f});
  EXPECT_THAT(std::string(graph().TakeError().message()), HasSubstr("1 boundaries, 1 values"));
}

}  // namespace
}  // namespace weir

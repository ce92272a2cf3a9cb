// Metrics from C++: values over two batches, and the collections of their variables.
#include "graph/compose/metrics.h"

#include "graph/build/math_ops.h"
#include "graph/compose/variable.h"
#include "graph/flow_session_test.h"
#include "graph/graph_keys.h"

namespace weir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class MetricsTest : public FlowTest {
 protected:
  void Initialize() {
    Node* init = InitializeVariables(graph(), LocalVariables(graph()));
    const Result<std::vector<Tensor>> ran = Run({}, {}, {init});
    EXPECT_TRUE(ran.ok()) << ran.status();
  }
};

TEST_F(MetricsTest, AccuracyOverTwoBatches) {
  const Output labels = PlaceholderOf({-1}), predictions = PlaceholderOf({-1});
  const metrics::Metric accuracy =
      Must(metrics::Accuracy(graph(), labels, predictions, {.updates_collections = {graph_keys::kUpdateOps}}));
  const std::vector<VariablePtr> variables = LocalVariables(graph());
  ASSERT_EQ(variables.size(), 2u);
  EXPECT_EQ(variables[0]->op_name(), "accuracy/total");
  EXPECT_EQ(variables[1]->op_name(), "accuracy/count");
  EXPECT_TRUE(GlobalVariables(graph()).empty());
  Initialize();
  const Feed truth{labels, Tensor::Vector<float>({1, 0, 1, 1})};
  EXPECT_EQ(Float(accuracy.update, {truth, {predictions, Tensor::Vector<float>({1, 0, 0, 1})}}), 0.75f);
  EXPECT_EQ(Float(accuracy.update, {truth, {predictions, Tensor::Vector<float>({0, 1, 0, 1})}}), 0.5f);
  EXPECT_EQ(Float(accuracy.value), 0.5f);
}

TEST_F(MetricsTest, AucRecallAndPrecision) {
  const Output labels = Vector({0, 0, 1, 1}), scores = Vector({0.1f, 0.4f, 0.35f, 0.8f});
  const metrics::Metric area = Must(metrics::Auc(graph(), labels, scores, {.num_thresholds = 1000}));
  const metrics::Metric recall = Must(metrics::RecallAtThresholds(graph(), labels, scores, {0.3f, 0.5f}));
  const metrics::Metric precision = Must(metrics::Precision(graph(), labels, Vector({0, 1, 0, 1})));
  Initialize();
  EXPECT_NEAR(Float(area.update), 0.75f, 1e-3);
  EXPECT_THAT(Floats(recall.update), ElementsAre(::testing::FloatNear(1, 1e-6), ::testing::FloatNear(0.5, 1e-6)));
  EXPECT_EQ(Float(precision.update), 0.5f);
}

TEST_F(MetricsTest, PrecisionAndRecallAtK) {
  Tensor scores = Tensor::Zeros(kFloat, {2, 3}).value();
  const float values[] = {0.1f, 0.7f, 0.2f, 0.5f, 0.4f, 0.1f};
  std::copy(std::begin(values), std::end(values), scores.data<float>());
  const Output labels = Constant(graph(), Tensor::Vector<int64_t>({1, 2}));
  const metrics::Metric precision = Must(metrics::PrecisionAtK(graph(), Input(labels), scores, {.k = 2}));
  const metrics::Metric recall =
      Must(metrics::RecallAtK(graph(), Input(labels), scores, {.k = 2, .class_id = 2}, {.name = "mine"}));
  const metrics::Metric average = Must(metrics::AveragePrecisionAtK(graph(), Input(labels), scores, 2));
  EXPECT_EQ(LocalVariables(graph())[0]->op_name(), "precision_at_2/true_positive_at_2");
  Initialize();
  EXPECT_EQ(Float(Cast(precision.update, kFloat)), 0.25f);
  EXPECT_EQ(Float(Cast(recall.update, kFloat)), 0.0f);
  EXPECT_EQ(Float(Cast(average.update, kFloat)), 0.5f);
  EXPECT_EQ(Float(Cast(average.value, kFloat)), 0.5f);
}

TEST_F(MetricsTest, ReportsInvalidArguments) {
  EXPECT_THAT(Message(metrics::Accuracy(graph(), Vector({1, 2}), Vector({1, 2, 3}))), HasSubstr("incompatible"));
  EXPECT_THAT(Message(metrics::Mean(graph(), Vector({1, 2}), {.weights = Vector({1, 2, 3})})),
              HasSubstr("can not be broadcast"));
  EXPECT_THAT(Message(metrics::CountAtThresholds(graph(), metrics::Cell::kTruePositives, Vector({1}), Vector({1}), {})),
              HasSubstr("no thresholds"));
}

}  // namespace
}  // namespace weir

// TensorArrays, and map, scan and folds, with their gradients.
#include "graph/compose/tensor_array.h"

#include "graph/compose/flow_map.h"
#include "graph/flow_session_test.h"

namespace weir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TensorArrayFlowTest : public FlowTest {};

TEST_F(TensorArrayFlowTest, WritesReadsAndGradients) {
  Output x = Vector({1, 2, 3});
  TensorArray array = TensorArray(graph(), kFloat, 3, {.clear_after_read = false}).Unstack(x);
  Output y = array.Read(0) * array.Read(0) + array.Read(1);
  EXPECT_EQ(Float(y), 3);
  EXPECT_THAT(Floats(GradientOf(y, x)), ElementsAre(2, 1, 0));
  EXPECT_EQ(y.shape(), PartialShape::Scalar());
}

TEST_F(TensorArrayFlowTest, StackGatherSplitConcat) {
  Output x = Vector({1, 2, 3});
  TensorArray array = TensorArray(graph(), kFloat, 3).Unstack(x);
  EXPECT_THAT(Floats(array.Gather(Input({2, 0}))), ElementsAre(3, 1));
  Output weighted = array.Stack() * Vector({1, 2, 3});
  EXPECT_THAT(Floats(GradientOf(weighted, x)), ElementsAre(1, 2, 3));
  TensorArray parts = TensorArray(graph(), kFloat, 3, {.infer_shape = false}).Split(x, Input({1, 2, 0}));
  Output joined = parts.Concat() * Vector({2, 3, 4});
  EXPECT_THAT(Floats(joined), ElementsAre(2, 6, 12));
  EXPECT_THAT(Floats(GradientOf(joined, x)), ElementsAre(2, 3, 4));
  Output two = Scalar(2);
  Output written = TensorArray(graph(), kFloat, 1).Write(0, two * two).Read(0);
  EXPECT_EQ(Float(GradientOf(written, two)), 4);
  TensorArray(graph(), kFloat, 2).Write(0, x).Write(1, two);
  EXPECT_THAT(std::string(graph().TakeError().message()), HasSubstr("Inconsistent shapes"));
}

TEST_F(TensorArrayFlowTest, Map) {
  Output x = PlaceholderOf({-1});
  OutputList out = Must(
      MapFn(graph(), [&](const OutputList& row) -> Result<OutputList> { return OutputList{row[0] * row[0]}; }, {x}));
  const Feed feed{x, Tensor::Vector<float>({1, 2, 3})};
  EXPECT_THAT(Floats(out[0], {feed}), ElementsAre(1, 4, 9));
  EXPECT_THAT(Floats(GradientOf(out[0], x), {feed}), ElementsAre(2, 4, 6));
  EXPECT_THAT(Floats(out[0], {{x, Tensor::Vector<float>({})}}), ElementsAre());
  EXPECT_NE(graph().FindNode("map/while/TensorArrayReadV3"), nullptr);
  EXPECT_NE(graph().FindNode("map/TensorArrayStack/TensorArrayGatherV3"), nullptr);
}

TEST_F(TensorArrayFlowTest, ScanAndFolds) {
  Output x = PlaceholderOf({-1});
  const FoldFn combine = [&](const OutputList& a, const OutputList& row) -> Result<OutputList> {
    return OutputList{a[0] * 2.0f + row[0]};
  };
  const Feed feed{x, Tensor::Vector<float>({1, 2, 3})};
  Output scanned = Must(Scan(graph(), combine, {x}))[0];
  EXPECT_THAT(Floats(scanned, {feed}), ElementsAre(1, 4, 11));
  EXPECT_THAT(Floats(GradientOf(scanned, x), {feed}), ElementsAre(7, 3, 1));
  EXPECT_THAT(Floats(Must(Scan(graph(), combine, {x}, {1.0f}))[0], {feed}), ElementsAre(3, 8, 19));
  EXPECT_THAT(Floats(Must(Scan(graph(), combine, {x}, {}, {.reverse = true}))[0], {feed}), ElementsAre(17, 8, 3));
  Output left = Must(Foldl(graph(), combine, {x}, {1.0f}))[0];
  EXPECT_EQ(Float(left, {feed}), 19);
  EXPECT_THAT(Floats(GradientOf(left, x), {feed}), ElementsAre(4, 2, 1));
  Output right = Must(Foldr(graph(), combine, {x}))[0];
  EXPECT_EQ(Float(right, {feed}), 17);
  EXPECT_THAT(Floats(GradientOf(right, x), {feed}), ElementsAre(1, 2, 4));
  EXPECT_THAT(Message(MapFn(graph(), [](const OutputList& row) -> Result<OutputList> { return row; }, {1.0f})),
              HasSubstr("not scalars"));
}

TEST_F(TensorArrayFlowTest, ArraysInNestedLoops) {
  // For i < 2, for j < 3: array[3 i + j] = x * (i + 1). Computes the sum of squares.
  Output x = PlaceholderOf(PartialShape::Scalar());
  TensorArray array(graph(), kFloat, 6);
  OutputList out = Must(WhileLoop(
      graph(), [&](const OutputList& v) -> Result<Output> { return Less(v[0], 2); },
      [&](const OutputList& v) -> Result<OutputList> {
        WEIR_ASSIGN(OutputList inner,
                    WhileLoop(
                        graph(), [&](const OutputList& w) -> Result<Output> { return Less(w[0], 3); },
                        [&](const OutputList& w) -> Result<OutputList> {
                          Output value = x * Cast(v[0] + 1, kFloat);
                          return OutputList{w[0] + 1, array.WithFlow(w[1]).Write(v[0] * 3 + w[0], value).flow()};
                        },
                        {0, v[1]}));
        return OutputList{v[0] + 1, inner[1]};
      },
      {0, array.flow()}));
  Output all = array.WithFlow(out[1]).Stack();
  Output sum = Sum(all * all, 0);
  EXPECT_EQ(Float(sum, {{x, Tensor::Scalar(2.0f)}}), 60);
  EXPECT_EQ(Float(GradientOf(sum, x), {{x, Tensor::Scalar(2.0f)}}), 60);
}

}  // namespace
}  // namespace weir

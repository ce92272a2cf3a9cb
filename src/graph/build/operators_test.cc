#include "graph/build/operators.h"

#include <gtest/gtest.h>

#include "graph/build/array_ops.h"
#include "graph/build/reduce.h"
#include "graph/graph.h"
#include "ops/register.h"

namespace weir {
namespace {

class Operators : public ::testing::Test {
 protected:
  Operators() { ops::RegisterAllOps(registry_); }
  OpRegistry registry_;
  Graph graph_{registry_};
};

TEST_F(Operators, AreNamedAsInTensorFlow) {
  Output x = Placeholder(graph_, kFloat, {.shape = PartialShape{2, 3}, .name = "x"});
  EXPECT_EQ((x + 1).name(), "add:0");
  EXPECT_EQ((x + 1).node->type(), "AddV2");
  EXPECT_EQ(graph_.FindNode("add/y")->type(), "Const");
  EXPECT_EQ(graph_.FindNode("add/y")->output_type(0), kFloat);
  EXPECT_EQ((2.5 * x).name(), "mul:0");
  EXPECT_NE(graph_.FindNode("mul/x"), nullptr);
  EXPECT_EQ((x - x).name(), "sub:0");
  EXPECT_EQ((x / 2).name(), "truediv:0");
  EXPECT_EQ((-x).name(), "Neg:0");
  EXPECT_EQ((x / 2).node->type(), "RealDiv");
  EXPECT_TRUE(graph_.TakeError().ok());
}

TEST_F(Operators, DivideIntegersAsRealNumbers) {
  Output i = Placeholder(graph_, kInt32, {.name = "i"});
  Output q = i / 2;
  EXPECT_EQ(q.dtype(), kDouble);
  EXPECT_NE(graph_.FindNode("truediv/Cast_1"), nullptr);
  EXPECT_EQ((Placeholder(graph_, kInt8) / 2).dtype(), kFloat);
  EXPECT_TRUE(graph_.TakeError().ok());
}

TEST_F(Operators, KeepTheFirstError) {
  Output x = Placeholder(graph_, kFloat, {.shape = PartialShape{2}});
  Output y = Placeholder(graph_, kFloat, {.shape = PartialShape{3}});
  Output bad = x + y;
  EXPECT_FALSE(bad.valid());
  EXPECT_FALSE((bad * 2 - bad).valid());
  EXPECT_FALSE(ReduceSum(bad).valid());
  Status error = graph_.TakeError();
  EXPECT_EQ(error.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(error.message().find("[2]"), std::string_view::npos) << error;
  EXPECT_FALSE((Placeholder(graph_, kInt32) + 1.5).valid());
  EXPECT_FALSE(graph_.TakeError().ok());
}

TEST_F(Operators, ReduceOverLiteralAxes) {
  Output x = Placeholder(graph_, kFloat, {.shape = PartialShape{2, 3, 4}});
  EXPECT_EQ(ReduceSum(x, -1, kKeepDims).shape(), (PartialShape{2, 3, 1}));
  EXPECT_EQ(ReduceMean(x).shape(), PartialShape::Scalar());
  EXPECT_EQ(ReduceMax(x, {0, 2}).shape(), (PartialShape{3}));
  EXPECT_EQ(ReduceMin(x, {1}).shape(), (PartialShape{2, 4}));
  EXPECT_EQ(ReduceProd(x, 0).shape(), (PartialShape{3, 4}));
  EXPECT_EQ(ReduceSum(Placeholder(graph_, kFloat)).shape(), PartialShape::Scalar());
  Output b = Placeholder(graph_, kBool, {.shape = PartialShape{2, 3}});
  EXPECT_EQ(ReduceAll(b, 1).shape(), (PartialShape{2}));
  EXPECT_EQ(ReduceAny(b).dtype(), kBool);
  EXPECT_TRUE(graph_.TakeError().ok());
}

}  // namespace
}  // namespace weir

// Tests errors while a graph is built in C++: the program gets the first error, wherever it checks first.
#include <gmock/gmock.h>

#include "weir/weir.h"

namespace weir {
namespace {

using testing::HasSubstr;

std::string WhatIsThrown(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

class BuildingErrorsTest : public ::testing::Test {
 protected:
  Engine engine_;
  Graph& g_ = engine_.graph();
  Output x_ = Placeholder(g_, kFloat, {.shape = PartialShape{2, 3}});
  Var w_{g_, Tensor::Zeros(kFloat, {4, 1}).value()};
  Output bad_ = MatMul(x_, w_);  // [2,3] x [4,1]
};

TEST_F(BuildingErrorsTest, OutputsAfterAFailureAreInvalidButKnowTheirGraph) {
  EXPECT_FALSE(bad_.valid());
  for (const Output& derived : {Relu(bad_), bad_ + 1.0f, 2.0f * bad_, bad_ + x_, -bad_, ReduceMean(Square(bad_)),
                                ClipByNorm(bad_, 1.0f), SoftmaxCrossEntropyWithLogits(bad_, bad_).loss}) {
    EXPECT_FALSE(derived.valid());
    ASSERT_TRUE(derived.has_graph());
    EXPECT_EQ(&derived.graph(), &g_);
  }
  const Status first = g_.TakeError();
  EXPECT_EQ(first.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(first.message()), HasSubstr("MatMul"));
  EXPECT_TRUE(g_.TakeError().ok());
}

TEST_F(BuildingErrorsTest, MinimizeGivesTheFirstCause) {
  Output loss = ReduceMean(Square(bad_));
  Result<Node*> train = GradientDescentOptimizer(0.1).Minimize(loss);
  EXPECT_THAT(std::string(train.status().message()), HasSubstr("MatMul"));
  EXPECT_THAT(std::string(GradientDescentOptimizer(0.1).Minimize(Output()).status().message()),
              HasSubstr("not a tensor"));
}

TEST_F(BuildingErrorsTest, RunningGivesTheFirstCause) {
  Output loss = ReduceMean(bad_);
  EXPECT_THAT(WhatIsThrown([&] { ClientSession(engine_).Run(loss); }), HasSubstr("MatMul"));
  EXPECT_THAT(WhatIsThrown([&] { Op unused(Relu(MatMul(x_, w_))); }), HasSubstr("MatMul"));
  EXPECT_THAT(WhatIsThrown([&] { DenseGradients(Relu(MatMul(x_, w_)), {x_}); }), HasSubstr("MatMul"));
  EXPECT_THAT(WhatIsThrown([&] { Op unused{Output()}; }), HasSubstr("nothing to run"));
  EXPECT_THAT(WhatIsThrown([&] { DenseGradients(Output(), {x_}); }), HasSubstr("nothing to differentiate"));
}

TEST_F(BuildingErrorsTest, EmptyOperandIsAnError) {
  EXPECT_FALSE(g_.TakeError().ok());
  Output sum = x_ + Output();
  EXPECT_FALSE(sum.valid());
  EXPECT_THAT(std::string(g_.TakeError().message()), HasSubstr("operand is missing"));
}

TEST_F(BuildingErrorsTest, AConstMustBeOfItsType) {
  EXPECT_FALSE(g_.TakeError().ok());
  Result<Node*> node = NodeBuilder(g_, "Const").Attr("dtype", kInt32).Attr("value", Tensor::Scalar(1.0f)).Build();
  EXPECT_THAT(std::string(node.status().message()), HasSubstr("attr dtype is int32 but the value is a float"));
}

TEST(WideGroup, EachControlInputOnce) {
  Engine engine;
  Graph& g = engine.graph();
  std::vector<Node*> nodes;
  for (int i = 0; i < 40; ++i) nodes.push_back(NoOp(g));
  NodeBuilder group(g, "NoOp");
  for (int round = 0; round < 2; ++round)
    for (Node* node : nodes) group.ControlInput(node);
  Node* all = group.BuildNode();
  ASSERT_NE(all, nullptr);
  EXPECT_EQ(all->control_inputs(), nodes);
  Node* late = NoOp(g);
  for (int round = 0; round < 2; ++round) g.AddControlInput(all, late);
  EXPECT_EQ(all->control_inputs().size(), 41u);
  EXPECT_EQ(late->control_outputs().size(), 1u);
}

TEST(KnownShapes, AVectorTooLongForAShapeLeavesItUnknown) {
  Engine engine;
  Graph& g = engine.graph();
  Output n = Placeholder(g, kInt32, {.shape = PartialShape::Scalar()});
  Output shape = Pack(g, InputList(300, Input(n)));
  Output filled = Fill(g, shape, 1.0f);
  // Too many dimensions for a tensor: an error when it is built or when it runs, not a crash.
  if (g.TakeError().ok()) {
    EXPECT_THAT(WhatIsThrown([&] { ClientSession(engine).Run({{n, Tensor::Scalar(1)}}, {filled}); }), HasSubstr("300"));
  }
}

TEST(ManagedSessionErrorsTest, AnExceptionOfTheBodyStopsTheSupervisorAndIsRethrown) {
  Engine engine;
  Var v(engine.graph(), Tensor::Scalar(1.0f));
  const auto supervisor = ValueOrThrow(Supervisor::Make(engine.graph()));
  try {
    RunManaged(*supervisor, engine, "", [](const ClientSession&) { throw std::runtime_error("mine"); });
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "mine");
  }
  EXPECT_TRUE(supervisor->coordinator()->should_stop());
}

TEST(ManagedSessionTest, TheSessionHasTheGivenSettings) {
  Engine engine;
  Var v(engine.graph(), Tensor::Scalar(1.0f));
  const auto supervisor = ValueOrThrow(Supervisor::Make(engine.graph()));
  size_t num_devices = 0;
  RunManaged(*supervisor, engine, "", {.device_count = {{"CPU", 2}}},
             [&](const ClientSession& session) { num_devices = ValueOrThrow(session.session().ListDevices()).size(); });
  EXPECT_EQ(num_devices, 2u);
}

}  // namespace
}  // namespace weir

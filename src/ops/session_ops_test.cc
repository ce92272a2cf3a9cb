// Runs the real ops in a session: kernels and executor must agree on references, dead values and loops.
#include <gtest/gtest.h>

#include "graph/node_builder.h"
#include "ops/register.h"
#include "runtime/constant_evaluator.h"
#include "runtime/local_session.h"

namespace weir::ops::session_ops_test {
namespace {

class RealOpsTest : public ::testing::Test {
 protected:
  RealOpsTest() {
    ops::RegisterAllOps(registry_);
    graph_ = std::make_shared<Graph>(registry_);
    graph_->set_constant_evaluator(MakeLocalConstantEvaluator(RealEnv()));
  }

  Output Const(float value) { return Constant(*graph_, Tensor::Scalar(value)); }
  Output Op(const std::string& op, const OutputList& inputs, std::vector<Node*> after = {}) {
    NodeBuilder builder(*graph_, op);
    for (Output input : inputs) builder.In(input);
    for (Node* node : after) builder.ControlInput(node);
    return builder.BuildOutput();
  }
  Output Enter(Output value, const std::string& frame, bool constant) {
    return NodeBuilder(*graph_, "Enter")
        .In(value)
        .Attr("frame_name", frame)
        .Attr("is_constant", constant)
        .BuildOutput();
  }
  Output Variable(const std::string& name, const PartialShape& shape) {
    return NodeBuilder(*graph_, "VariableV2", name).Attr("dtype", kFloat).Attr("shape", shape).BuildOutput();
  }
  Result<std::vector<Tensor>> Run(const OutputList& fetches, std::vector<Feed> feeds = {}) {
    if (Status error = graph_->TakeError(); !error.ok()) return error;
    if (session_ == nullptr)
      session_ = std::make_unique<LocalSession>(
          graph_, LocalSession::Dependencies{pool_, blocking_pool_, RealEnv(), nullptr, {}});
    RunRequest request;
    request.feeds = std::move(feeds);
    request.fetches = fetches;
    return session_->Run(request);
  }
  float Value(Output fetch, std::vector<Feed> feeds = {}) {
    Result<std::vector<Tensor>> result = Run({fetch}, std::move(feeds));
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? (*result)[0].data<float>()[0] : -12345.f;
  }

  OpRegistry registry_;
  ThreadPool pool_{"test", 2};
  ElasticPool blocking_pool_{"test_blocking"};
  std::shared_ptr<Graph> graph_;
  std::unique_ptr<LocalSession> session_;
};

TEST_F(RealOpsTest, ScalarsAndPlaceholders) {
  Output x =
      NodeBuilder(*graph_, "Placeholder", "x").Attr("dtype", kFloat).Attr("shape", PartialShape{2}).BuildOutput();
  Output y = Op("AddV2", {Op("Mul", {x, Const(2)}), Const(1)});
  Result<std::vector<Tensor>> result = Run({y}, {{x, Tensor::Vector<float>({1, 2})}});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ((*result)[0].data<float>()[1], 5);
  EXPECT_EQ(
      std::string(Run({y}).status().message()),
      "You must feed a value for placeholder tensor 'x' with dtype float and shape [2]\n\t [[node 'x' (Placeholder)]]");
}

TEST_F(RealOpsTest, AnUpdateIsSeenThroughControlDependencies) {
  Output v = Variable("v", PartialShape::Scalar());
  EXPECT_EQ(Run({Op("Identity", {v})}).status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(Value(Op("Assign", {v, Const(1)})), 1);
  Output before = Op("Identity", {v});
  Output added = Op("AssignAdd", {v, Const(5)}, {before.node});
  Output after = Op("Identity", {v}, {added.node});
  EXPECT_EQ(Value(after), 6);
  EXPECT_EQ(Value(v), 6);
}

TEST_F(RealOpsTest, LoopsAndBranches) {
  Output x = NodeBuilder(*graph_, "Placeholder", "x").Attr("dtype", kFloat).BuildOutput();
  Output start = Enter(x, "loop", false);
  Output limit = Enter(Const(100), "loop", true);
  Output one = Enter(Const(1), "loop", true);
  Output merge = NodeBuilder(*graph_, "Merge").In(OutputList{start, start}).BuildOutput();
  Output fork = Op("Switch", {merge, Op("LoopCond", {Op("Less", {merge, limit})})});
  Output even = Op("Switch", {Output(fork.node, 1), Op("Less", {Output(fork.node, 1), one})});
  Output added = NodeBuilder(*graph_, "Merge")
                     .In(OutputList{Op("AddV2", {even, one}), Op("Mul", {Output(even.node, 1), one})})
                     .BuildOutput();
  Output next = Op("NextIteration", {Op("AddV2", {added, one})});
  ASSERT_TRUE(graph_->TakeError().ok());
  ASSERT_TRUE(graph_->UpdateInput(merge.node, 1, next).ok());
  Output end = Op("Exit", {fork});
  EXPECT_EQ(Value(end, {{x, Tensor::Scalar(0.f)}}), 101);  // 0, 1, 3, 5, ..., 101
  EXPECT_EQ(Value(end, {{x, Tensor::Scalar(500.f)}}), 500);
}

}  // namespace
}  // namespace weir::ops::session_ops_test

// Fixture: a graph with all ops and a session, for tests that build and run control flow.
#pragma once

#include <gmock/gmock.h>

#include "graph/build/array_ops.h"
#include "graph/build/flow_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/compose/flow.h"
#include "graph/gradients.h"
#include "ops/register.h"
#include "runtime/constant_evaluator.h"
#include "runtime/local_session.h"

namespace weir {

class FlowTest : public ::testing::Test {
 protected:
  FlowTest() {
    ops::RegisterAllOps(registry_);
    graph_ = std::make_shared<Graph>(registry_);
    graph_->set_constant_evaluator(MakeLocalConstantEvaluator(RealEnv()));
  }

  Graph& graph() { return *graph_; }
  Output Scalar(float value, const std::string& name = "Const") {
    return Constant(graph(), Tensor::Scalar(value), name);
  }
  Output Vector(std::initializer_list<float> values) { return Constant(graph(), Tensor::Vector<float>(values)); }
  Output PlaceholderOf(const PartialShape& shape, DType dtype = kFloat) {
    return NodeBuilder(graph(), "Placeholder").Attr("dtype", dtype).Attr("shape", shape).BuildOutput();
  }

  Result<std::vector<Tensor>> Run(const OutputList& fetches, std::vector<Feed> feeds = {},
                                  std::vector<Node*> targets = {}) {
    WEIR_TRY(graph().TakeError());
    if (session_ == nullptr)
      session_ = std::make_unique<LocalSession>(
          graph_, LocalSession::Dependencies{.pool = pool_, .blocking_pool = blocking_pool_, .env = RealEnv()});
    return session_->Run({.feeds = std::move(feeds), .fetches = fetches, .targets = std::move(targets)});
  }
  // All elements of a float value.
  std::vector<float> Floats(Output fetch, std::vector<Feed> feeds = {}) {
    Result<std::vector<Tensor>> result = Run({fetch}, std::move(feeds));
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) return {};
    const absl::Span<float> values = (*result)[0].flat<float>();
    return {values.begin(), values.end()};
  }
  float Float(Output fetch, std::vector<Feed> feeds = {}) {
    const std::vector<float> values = Floats(fetch, std::move(feeds));
    return values.size() == 1 ? values[0] : NAN;
  }
  // The dense gradient d(y)/d(x). Fails the test and returns an invalid output if there is none.
  Output GradientOf(Output y, Output x) {
    Result<std::vector<Grad>> grads = AddGradients(graph(), {y}, {x});
    EXPECT_TRUE(grads.ok()) << grads.status();
    if (!grads.ok() || !std::holds_alternative<Output>((*grads)[0])) {
      ADD_FAILURE() << "no dense gradient of " << y.name();
      return Output();
    }
    return std::get<Output>((*grads)[0]);
  }
  template <class T>
  static std::string Message(const Result<T>& result) {
    return std::string(result.status().message());
  }
  template <class T>
  T Must(Result<T> result) {
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *std::move(result) : T();
  }

 private:
  OpRegistry registry_;
  std::shared_ptr<Graph> graph_;
  ThreadPool pool_{"test", 2};
  ElasticPool blocking_pool_{"test_blocking"};
  std::unique_ptr<LocalSession> session_;
};

}  // namespace weir

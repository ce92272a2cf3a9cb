// Resource variables in a graph: shapes derived from the handle, and sparse gradients.
#include <gtest/gtest.h>

#include "graph/build/array_ops.h"
#include "graph/build/state_ops.h"
#include "graph/gradients.h"
#include "ops/register.h"
#include "runtime/constant_evaluator.h"

namespace weir::ops::resource_variable_ops_test {
namespace {

const OpRegistry& Ops() {
  static const OpRegistry* ops = [] {
    auto* registry = new OpRegistry;
    RegisterArrayOps(*registry);
    RegisterStateOps(*registry);
    return registry;
  }();
  return *ops;
}

TEST(ResourceVariableGraph, ShapesFollowFromTheHandle) {
  Graph graph(Ops());
  Output handle = Identity(VarHandleOp(graph, kFloat, PartialShape{5, 3}));
  EXPECT_EQ(ReadVariableOp(handle, kFloat).shape().ToString(), "[5,3]");
  EXPECT_EQ(ResourceGather(handle, {1, 2}, kFloat).shape().ToString(), "[2,3]");
  EXPECT_EQ(ResourceGatherNd(handle, Constant(graph, Tensor::Of<int32_t>({1, 2}, {0, 1})), kFloat).shape().ToString(),
            "[1]");
  EXPECT_EQ(VariableShape(handle).shape().ToString(), "[2]");
  EXPECT_EQ(graph.ConstantValue(VariableShape(handle)).ToString(), Tensor::Vector<int32_t>({5, 3}).ToString());
  ASSERT_TRUE(graph.TakeError().ok());
  ReadVariableOp(handle, kInt32);
  EXPECT_EQ(graph.TakeError().code(), StatusCode::kInvalidArgument);
  AssignVariableOp(handle, Constant(graph, Tensor::Vector<float>({1})));
  EXPECT_EQ(graph.TakeError().code(), StatusCode::kInvalidArgument);
  ResourceScatterAdd(handle, {0}, Constant(graph, Tensor::Of<float>({1, 2}, {1, 1})));
  EXPECT_EQ(graph.TakeError().code(), StatusCode::kInvalidArgument);
  ResourceApplyGradientDescent(handle, 1.f, Constant(graph, Tensor::Of<float>({1, 2}, {1, 1})));
  EXPECT_EQ(graph.TakeError().code(), StatusCode::kInvalidArgument);
}

TEST(ResourceVariableGraph, ReadsForwardGradientsAndGathersKeepThemSparse) {
  Graph graph(Ops());
  graph.set_constant_evaluator(MakeLocalConstantEvaluator(RealEnv()));
  Output handle = VarHandleOp(graph, kFloat, PartialShape{5, 3});
  Output read = ReadVariableOp(handle, kFloat);
  Output dy = Constant(graph, Tensor::Of<float>({5, 3}, std::vector<float>(15, 1.f)));
  Result<std::vector<Grad>> dense = AddGradients(graph, {read}, {handle}, {.grad_ys = {dy}});
  ASSERT_TRUE(dense.ok()) << dense.status();
  EXPECT_TRUE(std::holds_alternative<Output>((*dense)[0]));
  EXPECT_EQ(std::get<Output>((*dense)[0]).shape().ToString(), "[5,3]");

  Output rows = ResourceGather(handle, Constant(graph, Tensor::Of<int64_t>({2, 1}, {1, 4})), kFloat);
  Output d_rows = Constant(graph, Tensor::Of<float>({2, 1, 3}, std::vector<float>(6, 1.f)));
  Result<std::vector<Grad>> sparse = AddGradients(graph, {rows}, {handle}, {.grad_ys = {d_rows}});
  ASSERT_TRUE(sparse.ok()) << sparse.status();
  ASSERT_TRUE(std::holds_alternative<IndexedSlices>((*sparse)[0]));
  const IndexedSlices& slices = std::get<IndexedSlices>((*sparse)[0]);
  EXPECT_EQ(slices.values.shape().ToString(), "[2,3]");
  EXPECT_EQ(slices.indices.shape().ToString(), "[2]");

  Output cells = ResourceGatherNd(handle, Constant(graph, Tensor::Of<int32_t>({2, 2}, {1, 1, 4, 0})), kFloat);
  Result<std::vector<Grad>> scattered = AddGradients(graph, {cells}, {handle});
  ASSERT_TRUE(scattered.ok()) << scattered.status();
  ASSERT_TRUE(std::holds_alternative<Output>((*scattered)[0]));
  EXPECT_EQ(std::get<Output>((*scattered)[0]).shape().ToString(), "[5,3]");
  Output picked = ResourceGatherNd(handle, Constant(graph, Tensor::Of<int32_t>({2, 1}, {1, 4})), kFloat);
  Result<std::vector<Grad>> picked_rows = AddGradients(graph, {picked}, {handle});
  ASSERT_TRUE(picked_rows.ok()) << picked_rows.status();
  EXPECT_TRUE(std::holds_alternative<IndexedSlices>((*picked_rows)[0]));
}

}  // namespace
}  // namespace weir::ops::resource_variable_ops_test

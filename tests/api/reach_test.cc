// Tests that the public headers are sufficient: composed functions of every area, and errors that say what is missing.
#include <gmock/gmock.h>

#include "weir/weir.h"

namespace weir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<float> Floats(const Tensor& value) {
  const absl::Span<float> all = value.flat<float>();
  return {all.begin(), all.end()};
}

TEST(PublicHeaders, ComposedFunctionsAreDeclared) {
  Engine engine;
  Graph& g = engine.graph();
  const Output x = Constant(g, Tensor::Vector<float>({3, 4}));
  ClientSession session(engine);
  EXPECT_THAT(Floats(session.Run(Zeros(g, std::vector<int64_t>{2}) + x)), ElementsAre(3, 4));
  EXPECT_THAT(Floats(session.Run(TensorDot(g, x, x, 1))), ElementsAre(25));
  const OutputList squares = ValueOrThrow(
      MapFn(g, [](const OutputList& row) -> Result<OutputList> { return OutputList{Square(row[0])}; }, {x}));
  EXPECT_THAT(Floats(session.Run(squares[0])), ElementsAre(9, 16));
  Op holds(AssertRank(g, Relation::kEqual, x, {1}));
  session.Run(holds);
}

// A composed function and the function of an op may share a name if their parameters differ.
TEST(PublicHeaders, ComposedFunctionsShareTheNamesOfOps) {
  Engine engine;
  Graph& g = engine.graph();
  const Output x = Constant(g, Tensor::Vector<float>({3, 4}));
  ClientSession session(engine);
  EXPECT_THAT(Floats(session.Run(Einsum(g, "i,i->i", {x, x}))), ElementsAre(9, 16));
  EXPECT_THAT(Floats(session.Run(Einsum(g, {x, x}, "i,i->i"))), ElementsAre(9, 16));
  EXPECT_THAT(Floats(session.Run(Concat(g, {x, x}, 0))), ElementsAre(3, 4, 3, 4));
  EXPECT_THAT(Floats(session.Run(Concat(g, 0, {x, x}))), ElementsAre(3, 4, 3, 4));
  EXPECT_THAT(Floats(session.Run(Where(g, Greater(x, 3.5f), x, ZerosLike(x)))), ElementsAre(0, 4));
  EXPECT_EQ(session.Run(Where(g, Greater(x, 3.5f))).flat<int64_t>()[0], 1);
  const Sparse sparse = {Constant(g, Tensor::Zeros(kInt64, {1, 1}).value()), Slice(x, {0}, {1}),
                         Constant(g, Tensor::Vector<int64_t>({2}))};
  EXPECT_THAT(Floats(session.Run(SparseToDense(SparseAdd(sparse, sparse)))), ElementsAre(6, 0));
  EXPECT_THAT(Floats(session.Run(SparseToDense(sparse.indices, sparse.dense_shape, sparse.values, 0.0f))),
              ElementsAre(3, 0));
}

// weir::raw_ops has every op. Namespace weir has those whose names no other function uses.
TEST(PublicHeaders, OpsHaveANamespace) {
  Engine engine;
  Graph& g = engine.graph();
  const Output x = Constant(g, Tensor::Vector<float>({3, 4}));
  ClientSession session(engine);
  const raw_ops::MatMulAttrs transposed = {.transpose_b = true, .name = "product"};
  const Output row = raw_ops::Reshape(x, {1, 2}, {.name = "row"});
  const Output product = weir::MatMul(row, row, transposed);
  EXPECT_EQ(product.name(), "product:0");
  EXPECT_THAT(Floats(session.Run(product)), ElementsAre(25));
  const raw_ops::TopKV2Result top = TopKV2(x, 1);
  EXPECT_THAT(Floats(session.Run(top.values)), ElementsAre(4));
  EXPECT_EQ(raw_ops::Variable(g, PartialShape{2}, kFloat).node->type(), "Variable");
  EXPECT_EQ(NoOp(g)->name(), "NoOp");
}

// Without a graph there is nowhere to record an error. Results of every type are invalid.
TEST(PublicHeaders, FailedOpsGiveInvalidResults) {
  Engine engine;
  Graph& g = engine.graph();
  EXPECT_FALSE(MatMul(1.0f, 2.0f).valid());
  EXPECT_FALSE(MatMul(1.0f, 2.0f).has_graph());
  EXPECT_EQ(Assert(true, {}), nullptr);
  const Output x = Constant(g, Tensor::Vector<float>({3, 4}));
  const TopKV2Result top = TopKV2(x, "many");
  EXPECT_FALSE(top.values.valid());
  EXPECT_FALSE(top.indices.valid());
  EXPECT_TRUE(top.indices.has_graph());
  EXPECT_THAT(Unpack(x, 3), testing::IsEmpty());
  EXPECT_FALSE(g.TakeError().ok());
}

TEST(PublicHeaders, CallablesComeFromTheSession) {
  Engine engine;
  const Output x = Placeholder(engine.graph(), kFloat);
  ClientSession session(engine);
  std::shared_ptr<Session::Callable> twice = ValueOrThrow(session.session().MakeCallable({x}, {x * 2.0f}, {}));
  EXPECT_FLOAT_EQ(ValueOrThrow(twice->Call({Tensor::Scalar(4.0f)}))[0].scalar<float>(), 8);
}

TEST(PublicHeaders, Queues) {
  Engine engine;
  Graph& g = engine.graph();
  const Queue queue = Queue::Fifo(g, 10, {kFloat}, {.shapes = {PartialShape{2}}, .name = "rows"});
  const Op enqueue(queue.EnqueueMany({Input(Tensor::Of<float>(Shape{3, 2}, {1, 2, 3, 4, 5, 6}))}));
  const OutputList two = queue.DequeueMany(2);
  EXPECT_EQ(two[0].name(), "rows_DequeueMany:0");
  EXPECT_EQ(two[0].shape(), (PartialShape{2, 2}));
  const Op close(queue.Close());
  ClientSession session(engine);
  session.Run(enqueue);
  EXPECT_EQ(session.Run(queue.Size()).scalar<int32_t>(), 3);
  EXPECT_THAT(Floats(session.Run(two[0])), ElementsAre(1, 2, 3, 4));
  session.Run(close);
  EXPECT_THAT(Floats(session.Run(queue.DequeueUpTo(5)[0])), ElementsAre(5, 6));
  EXPECT_THROW(session.Run(queue.Dequeue()[0]), Error);
  EXPECT_FALSE(Queue::Fifo(g, 10, {kFloat}, {.shapes = {PartialShape{kUnknownDim}}}).valid());
  EXPECT_THAT(std::string(g.TakeError().message()), HasSubstr("fully defined"));
}

TEST(PublicHeaders, Accumulators) {
  Engine engine;
  Graph& g = engine.graph();
  const DenseAccumulator dense = DenseAccumulator::Make(g, kFloat, {.shape = {2}});
  const Op apply(dense.ApplyGrad({1.0f, 2.0f}));
  const Op apply_more(dense.ApplyGrad({3.0f, 6.0f}));
  const SparseAccumulator sparse = SparseAccumulator::Make(g, kFloat, {.reduction_type = "SUM"});
  const Op apply_row(sparse.ApplyGrad({1}, Input(Tensor::Of<float>(Shape{1, 2}, {1, 2}))));
  ClientSession session(engine);
  session.Run(apply);
  session.Run(apply_more);
  EXPECT_THAT(Floats(session.Run(dense.TakeGrad(2))), ElementsAre(2, 4));
  session.Run(apply_row);
  session.Run(apply_row);
  EXPECT_EQ(session.Run(sparse.NumAccumulated()).scalar<int32_t>(), 2);
  EXPECT_THAT(Floats(session.Run(sparse.TakeGrad(1).values)), ElementsAre(2, 4));
}

TEST(PublicHeaders, DenseGradientsSayWhichValueHasNone) {
  Engine engine;
  Graph& g = engine.graph();
  const Output x = Constant(g, Tensor::Vector<float>({3, 4}), "x");
  const Output stranger = Constant(g, Tensor::Scalar(1.0f), "stranger");
  const Output y = ReduceSum(Gather(x, Constant(g, Tensor::Vector<int32_t>({1}))));
  const auto thrown = [&](const std::vector<Output>& xs) -> std::string {
    try {
      DenseGradients(y, xs);
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_THAT(thrown({stranger}), HasSubstr("does not depend on 'stranger:0'"));
  EXPECT_THAT(thrown({x}), HasSubstr("the gradient of 'Sum:0' with respect to 'x:0' is sparse"));
}

}  // namespace
}  // namespace weir

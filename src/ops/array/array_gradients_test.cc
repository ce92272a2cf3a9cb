// Compares gradients of array ops with finite differences: loss = sum(y * w) for a fixed w, varying each element of
// every double input. Graphs are evaluated node by node.
#include <gtest/gtest.h>

#include "graph/gradients.h"
#include "graph/node_builder.h"
#include "op/testing.h"
#include "ops/register.h"

namespace weir::ops::array_gradients_test {
namespace {

const OpRegistry& Registry() {
  static const OpRegistry& registry = *[] {
    auto* r = new OpRegistry;
    RegisterAllOps(*r);
    return r;
  }();
  return registry;
}

// Distinct values that no op treats specially.
Tensor Numbers(std::vector<int64_t> dims, double from = 0) {
  Tensor t = Tensor::Allocate(kDouble, Shape::Make(dims).value()).value();
  for (int64_t i = 0; i < t.num_elements(); ++i)
    t.data<double>()[i] = from + 0.7 * static_cast<double>(i * 7 % 11) - 2 + 0.01 * static_cast<double>(i);
  return t;
}
Tensor Ints(std::vector<int64_t> dims, std::initializer_list<int32_t> values) {
  return Tensor::Of<int32_t>(Shape::Make(dims).value(), values);
}
Tensor Longs(std::vector<int64_t> dims, std::initializer_list<int64_t> values) {
  return Tensor::Of<int64_t>(Shape::Make(dims).value(), values);
}

class Evaluator {
 public:
  void Feed(Node* node, Tensor value) { values_[node] = {std::move(value)}; }
  Result<Tensor> operator()(Output x) {
    auto it = values_.find(x.node);
    if (it == values_.end()) {
      std::vector<Tensor> inputs;
      for (Output in : x.node->inputs()) {
        WEIR_ASSIGN(Tensor t, (*this)(in));
        inputs.push_back(std::move(t));
      }
      WEIR_ASSIGN(std::vector<Tensor> outputs, tester_.Run(x.node->type(), std::move(inputs), x.node->attrs()));
      it = values_.emplace(x.node, std::move(outputs)).first;
    }
    return it->second[static_cast<size_t>(x.index)];
  }

 private:
  KernelTester tester_{Registry(), 0};
  std::map<Node*, std::vector<Tensor>> values_;
};

struct Case {
  std::string op;
  std::vector<Tensor> inputs;
  AttrMap attrs;
  bool sparse = false;  // the first gradient must be IndexedSlices
};

double Loss(const std::vector<Tensor>& ys) {
  double loss = 0;
  for (const Tensor& y : ys) {
    if (y.dtype() != kDouble) continue;
    for (int64_t i = 0; i < y.num_elements(); ++i) loss += y.data<double>()[i] * (1 + static_cast<double>(i % 5));
  }
  return loss;
}

// Converts a gradient to a dense tensor of the given shape; zeros if there is none.
Result<Tensor> DenseGradient(Evaluator& evaluate, const Grad& g, const Shape& shape) {
  WEIR_ASSIGN(Tensor out, Tensor::Zeros(kDouble, shape));
  if (const auto* dense = std::get_if<Output>(&g)) return evaluate(*dense);
  if (const auto* rows = std::get_if<IndexedSlices>(&g)) {
    WEIR_ASSIGN(Tensor values, evaluate(rows->values));
    WEIR_ASSIGN(Tensor indices, evaluate(rows->indices));
    const int64_t row = shape[0] == 0 ? 0 : shape.num_elements() / shape[0];
    for (int64_t k = 0; k < indices.num_elements(); ++k) {
      for (int64_t i = 0; i < row; ++i)
        out.data<double>()[indices.Int(k) * row + i] += values.data<double>()[k * row + i];
    }
  }
  return out;
}

class GradientsOf : public ::testing::TestWithParam<Case> {};
TEST_P(GradientsOf, AgreeWithDifferences) {
  const Case& c = GetParam();
  SCOPED_TRACE(c.op);
  const OpDef* op = Registry().Find(c.op);
  ASSERT_NE(op, nullptr);
  AttrMap attrs = c.attrs;
  std::vector<DType> types;
  for (const Tensor& t : c.inputs) types.push_back(t.dtype());
  ASSERT_TRUE(InferTestAttrs(*op, types, &attrs).ok());
  Graph graph(Registry());
  Evaluator evaluate;
  std::vector<Output> xs;
  for (const Tensor& t : c.inputs) xs.push_back(Constant(graph, t));
  NodeBuilder builder(graph, c.op);
  size_t next = 0;
  for (const ArgDef& arg : op->inputs) {
    const int count = ArgCount(arg, attrs).value();
    if (!arg.is_list()) {
      builder.In(xs[next++]);
    } else {
      builder.In(
          InputList(xs.begin() + static_cast<ptrdiff_t>(next), xs.begin() + static_cast<ptrdiff_t>(next) + count));
      next += static_cast<size_t>(count);
    }
  }
  for (const auto& [name, value] : attrs) builder.Attr(name, value);
  const Result<Node*> node = builder.Build();
  ASSERT_TRUE(node.ok()) << node.status();

  std::vector<Output> ys, wanted;
  std::vector<size_t> wanted_inputs;
  GradientOptions options;
  for (int i = 0; i < (*node)->num_outputs(); ++i) {
    const Result<Tensor> y = evaluate((*node)->output(i));
    ASSERT_TRUE(y.ok()) << y.status();
    if (y->dtype() != kDouble) continue;
    Tensor w = y->Clone().value();
    for (int64_t k = 0; k < w.num_elements(); ++k) w.data<double>()[k] = 1 + static_cast<double>(k % 5);
    ys.push_back((*node)->output(i));
    options.grad_ys.push_back(Constant(graph, w));
  }
  for (size_t i = 0; i < xs.size(); ++i) {
    if (c.inputs[i].dtype() != kDouble) continue;
    wanted.push_back(xs[i]);
    wanted_inputs.push_back(i);
  }
  const Result<std::vector<Grad>> grads = AddGradients(graph, ys, wanted, options);
  ASSERT_TRUE(grads.ok()) << grads.status();
  EXPECT_EQ(std::holds_alternative<IndexedSlices>((*grads)[0]), c.sparse);

  for (size_t g = 0; g < wanted.size(); ++g) {
    const size_t input = wanted_inputs[g];
    const Result<Tensor> got = DenseGradient(evaluate, (*grads)[g], c.inputs[input].shape());
    ASSERT_TRUE(got.ok()) << got.status();
    ASSERT_EQ(got->shape().ToString(), c.inputs[input].shape().ToString());
    for (int64_t k = 0; k < got->num_elements(); ++k) {
      double loss[2];
      for (int side : {0, 1}) {
        std::vector<Tensor> moved = c.inputs;
        moved[input] = moved[input].Clone().value();
        moved[input].data<double>()[k] += side == 0 ? -1e-4 : 1e-4;
        const Result<std::vector<Tensor>> y = RunKernel(Registry(), c.op, moved, attrs);
        ASSERT_TRUE(y.ok()) << y.status();
        loss[side] = Loss(*y);
      }
      EXPECT_NEAR(got->data<double>()[k], (loss[1] - loss[0]) / 2e-4, 1e-5) << "input " << input << " element " << k;
    }
  }
}

AttrMap Masks(int64_t new_axis, int64_t shrink) { return {{"new_axis_mask", new_axis}, {"shrink_axis_mask", shrink}}; }
const std::vector<int64_t> kPatch = {1, 2, 2, 1}, kStep = {1, 2, 1, 1}, kOnes = {1, 1, 1, 1};

INSTANTIATE_TEST_SUITE_P(
    Array, GradientsOf,
    ::testing::ValuesIn(std::vector<Case>{
        {"Identity", {Numbers({2, 2})}, {}},
        {"Reshape", {Numbers({2, 3}), Ints({1}, {6})}, {}},
        {"ExpandDims", {Numbers({2}), Ints({}, {0})}, {}},
        {"Squeeze", {Numbers({1, 2})}, {}},
        {"Fill", {Ints({2}, {2, 3}), Numbers({})}, {}},
        {"BroadcastTo", {Numbers({2, 1}), Ints({3}, {2, 2, 3})}, {}},
        {"ConcatV2", {Numbers({2, 1}), Numbers({2, 2}, 1), Ints({}, {1})}, {}},
        {"Concat", {Ints({}, {0}), Numbers({1}), Numbers({2}, 1)}, {}},
        {"Pack", {Numbers({2}), Numbers({2}, 1)}, {{"axis", 1}}},
        {"Unpack", {Numbers({2, 3})}, {{"num", 3}, {"axis", 1}}},
        {"Split", {Ints({}, {1}), Numbers({2, 4})}, {{"num_split", 2}}},
        {"SplitV", {Numbers({3}), Longs({2}, {1, 2}), Ints({}, {0})}, {{"num_split", 2}}},
        {"Slice", {Numbers({3, 3}), Ints({2}, {1, 0}), Ints({2}, {2, 2})}, {}},
        {"StridedSlice", {Numbers({4, 3}), Ints({2}, {3, 1}), Ints({2}, {0, 2}), Ints({2}, {-2, 1})}, Masks(0, 2)},
        {"StridedSlice", {Numbers({4}), Ints({2}, {0, 1}), Ints({2}, {0, 4}), Ints({2}, {1, 2})}, Masks(1, 0)},
        {"StridedSliceGrad", {Ints({1}, {4}), Ints({1}, {0}), Ints({1}, {4}), Ints({1}, {2}), Numbers({2})}, {}},
        {"TensorStridedSliceUpdate",
         {Numbers({2, 2}), Ints({1}, {0}), Ints({1}, {2}), Ints({1}, {1}), Numbers({2}, 5)},
         {}},
        {"Tile", {Numbers({2, 2}), Ints({2}, {2, 3})}, {}},
        {"Pad", {Numbers({2, 2}), Ints({2, 2}, {1, 0, 2, 1})}, {}},
        {"MirrorPad", {Numbers({3, 3}), Ints({2, 2}, {2, 1, 1, 1})}, {{"mode", "REFLECT"}}},
        {"MirrorPadGrad", {Numbers({4, 4}), Ints({2, 2}, {1, 1, 1, 1})}, {{"mode", "SYMMETRIC"}}},
        {"Transpose", {Numbers({2, 3, 2}), Ints({3}, {2, 0, 1})}, {}},
        {"ReverseV2", {Numbers({2, 3}), Ints({1}, {1})}, {}},
        {"Reverse", {Numbers({2, 3}), Tensor::Vector<bool>({true, false})}, {}},
        {"ReverseSequence", {Numbers({2, 3}), Longs({2}, {2, 3})}, {{"seq_dim", 1}}},
        {"Roll", {Numbers({3, 2}), Ints({}, {1}), Ints({}, {0})}, {}},
        {"GatherV2", {Numbers({4, 2}), Ints({2, 2}, {3, 0, 3, 1}), Ints({}, {0})}, {}, true},
        {"GatherV2", {Numbers({2, 3, 2}), Ints({2}, {2, 2}), Ints({}, {1})}, {}},
        {"GatherV2", {Numbers({2, 3, 2}), Ints({2, 2}, {0, 2, 1, 1}), Ints({}, {1})}, {{"batch_dims", 1}}},
        {"Gather", {Numbers({4}), Ints({2}, {3, 3})}, {}, true},
        {"GatherNd", {Numbers({3, 2}), Ints({2, 2}, {2, 1, 0, 0})}, {}},
        {"GatherNd", {Numbers({3, 2}), Ints({2, 1}, {2, 2})}, {}, true},
        {"ScatterNd", {Ints({2, 1}, {2, 0}), Numbers({2, 2}), Ints({2}, {3, 2})}, {}},
        {"TensorScatterUpdate", {Numbers({3}), Ints({1, 1}, {2}), Numbers({1})}, {}},
        {"TensorScatterAdd", {Numbers({3}), Ints({2, 1}, {2, 2}), Numbers({2})}, {}},
        {"TensorScatterSub", {Numbers({3}), Ints({2, 1}, {2, 2}), Numbers({2})}, {}},
        {"TopKV2", {Numbers({2, 4}), Ints({}, {2})}, {}},
        {"NthElement", {Numbers({2, 4}), Ints({}, {1})}, {}},
        {"Diag", {Numbers({3})}, {}},
        {"DiagPart", {Numbers({3, 3})}, {}},
        {"MatrixDiag", {Numbers({2, 2})}, {}},
        {"MatrixDiagPart", {Numbers({2, 3})}, {}},
        {"MatrixSetDiag", {Numbers({2, 2, 3}), Numbers({2, 2}, 3)}, {}},
        {"MatrixBandPart", {Numbers({3, 3}), Longs({}, {1}), Longs({}, {0})}, {}},
        {"SpaceToBatchND", {Numbers({1, 3, 2}), Ints({1}, {2}), Ints({1, 2}, {1, 0})}, {}},
        {"BatchToSpaceND", {Numbers({2, 2, 2}), Ints({1}, {2}), Ints({1, 2}, {1, 0})}, {}},
        {"SpaceToBatch", {Numbers({1, 2, 2, 1}), Ints({2, 2}, {0, 0, 2, 0})}, {{"block_size", 2}}},
        {"BatchToSpace", {Numbers({4, 1, 2, 1}), Ints({2, 2}, {0, 0, 2, 0})}, {{"block_size", 2}}},
        {"SpaceToDepth", {Numbers({1, 2, 4, 2})}, {{"block_size", 2}}},
        {"DepthToSpace", {Numbers({1, 2, 1, 8})}, {{"block_size", 2}}},
        {"DynamicPartition", {Numbers({3, 2}), Ints({3}, {1, 0, 1})}, {{"num_partitions", 2}}},
        {"DynamicStitch", {Ints({2}, {3, 0}), Ints({}, {1}), Numbers({2, 2}), Numbers({2}, 4)}, {}},
        {"ExtractImagePatches",
         {Numbers({2, 3, 3, 2})},
         {{"ksizes", kPatch}, {"strides", kStep}, {"rates", kOnes}, {"padding", "SAME"}}},
        {"SparseToDense", {Longs({2, 1}, {0, 2}), Longs({1}, {4}), Numbers({2}), Numbers({}, 9)}, {}},
        {"SparseTensorDenseMatMul",
         {Longs({2, 2}, {0, 1, 1, 0}), Numbers({2}), Longs({2}, {2, 3}), Numbers({2, 2}, 1)},
         {{"adjoint_a", true}}},
        {"SparseTensorDenseMatMul",
         {Longs({2, 2}, {0, 1, 1, 0}), Numbers({2}), Longs({2}, {2, 3}), Numbers({2, 3}, 1)},
         {{"adjoint_b", true}}},
        {"SparseTensorDenseAdd", {Longs({1, 1}, {1}), Numbers({1}), Longs({1}, {3}), Numbers({3})}, {}},
        {"SparseReduceSum", {Longs({3, 2}, {0, 0, 0, 1, 1, 1}), Numbers({3}), Longs({2}, {2, 2}), Ints({1}, {1})}, {}},
        {"SparseReorder", {Longs({2, 1}, {2, 0}), Numbers({2}), Longs({1}, {3})}, {}},
        {"SparseFillEmptyRows", {Longs({1, 1}, {1}), Numbers({1}), Longs({1}, {3}), Numbers({}, 2)}, {}},
    }));

TEST(ArrayGradients, GradientsOfConcatenatedTablesStaySparse) {
  Graph graph(Registry());
  const Output a = Constant(graph, Numbers({2, 2})), b = Constant(graph, Numbers({3, 2}, 1));
  const Output table = NodeBuilder(graph, "ConcatV2").In(InputList{a, b}).In(0).BuildOutput();
  const Output y =
      NodeBuilder(graph, "GatherV2").In(table).In(Constant(graph, Ints({3}, {3, 0, 3}))).In(0).BuildOutput();
  const Result<std::vector<Grad>> grads = AddGradients(graph, {y}, {a, b});
  ASSERT_TRUE(grads.ok()) << grads.status();
  Evaluator evaluate;
  for (size_t i = 0; i < 2; ++i) {
    const auto* rows = std::get_if<IndexedSlices>(&(*grads)[i]);
    ASSERT_NE(rows, nullptr);
    EXPECT_EQ(evaluate(rows->indices).value().ToString(), (i == 0 ? Ints({1}, {0}) : Ints({2}, {1, 1})).ToString());
  }
}

}  // namespace
}  // namespace weir::ops::array_gradients_test

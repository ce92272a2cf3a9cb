// MatMul, BatchMatMul and Einsum: values, errors, shapes and gradients.
#include <gtest/gtest.h>

#include "op/testing.h"
#include "ops/math/gradient_check_test.h"

namespace weir::ops::matmul_ops_test {
namespace {

using Floats = std::vector<float>;

std::string Outcome(const Result<std::vector<Tensor>>& result) {
  return result.ok() ? (*result)[0].ToString(64) : std::string(result.status().message());
}
Tensor F(const Shape& shape, Floats values) { return Tensor::Of<float>(shape, absl::Span<const float>(values)); }
// 1, 2, 3, ...
template <class T = float>
Tensor Count(const Shape& shape) {
  Tensor t = Tensor::Allocate(DTypeOf<T>(), shape).value();
  for (int64_t i = 0; i < t.num_elements(); ++i) t.data<T>()[i] = static_cast<T>(static_cast<float>(i + 1));
  return t;
}
std::string RunOp(const char* op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
  return Outcome(RunKernel(AllOps(), op, std::move(inputs), std::move(attrs)));
}
std::string Einsum(const std::string& equation, std::vector<Tensor> inputs) {
  return RunOp("Einsum", std::move(inputs), {{"equation", equation}});
}

TEST(MatMulOps, EveryTransposition) {
  const std::string expected = F({2, 2}, {22, 28, 49, 64}).ToString();
  const Tensor a = Count({2, 3}), b = Count({3, 2});
  const Tensor at = F({3, 2}, {1, 4, 2, 5, 3, 6}), bt = F({2, 3}, {1, 3, 5, 2, 4, 6});
  EXPECT_EQ(RunOp("MatMul", {a, b}), expected);
  EXPECT_EQ(RunOp("MatMul", {at, b}, {{"transpose_a", true}}), expected);
  EXPECT_EQ(RunOp("MatMul", {a, bt}, {{"transpose_b", true}}), expected);
  EXPECT_EQ(RunOp("MatMul", {at, bt}, {{"transpose_a", true}, {"transpose_b", true}}), expected);
}

TEST(MatMulOps, OtherTypesAndEmptyMatrices) {
  EXPECT_EQ(RunOp("MatMul", {Count<int32_t>({2, 3}), Count<int32_t>({3, 2})}),
            Tensor::Of<int32_t>({2, 2}, {22, 28, 49, 64}).ToString());
  EXPECT_EQ(RunOp("MatMul", {Count<half>({1, 2}), Count<half>({2, 1})}),
            Tensor::Of<half>({1, 1}, {half(5.0f)}).ToString());
  EXPECT_EQ(RunOp("MatMul", {F({2, 0}, {}), F({0, 3}, {})}), F({2, 3}, {0, 0, 0, 0, 0, 0}).ToString());
  EXPECT_EQ(RunOp("MatMul", {F({0, 2}, {}), Count({2, 3})}), F({0, 3}, {}).ToString());
  // MatMul never conjugates, BatchMatMul does.
  using C = std::complex<float>;
  const Tensor i = Tensor::Of<C>({1, 1}, {C(0, 1)});
  EXPECT_EQ(RunKernel(AllOps(), "MatMul", {i, i}, {{"transpose_a", true}}).value()[0].scalar<C>(), C(-1, 0));
  EXPECT_EQ(RunKernel(AllOps(), "BatchMatMul", {i, i}, {{"adj_x", true}}).value()[0].scalar<C>(), C(1, 0));
}

TEST(MatMulOps, Errors) {
  EXPECT_EQ(RunOp("SparseMatMul", {Count({2, 3}), Count({3, 1})}), F({2, 1}, {14, 32}).ToString());
  EXPECT_EQ(RunKernel(AllOps(), "MatMul", {Count({2, 3}), Count({4, 5})}).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(RunKernel(AllOps(), "BatchMatMulV2", {Count({2, 2, 3}), Count({3, 3, 4})}).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(RunKernel(AllOps(), "BatchMatMul", {Count({2, 2, 3}), Count({3, 4})}).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(MatMulOps, Shapes) {
  EXPECT_EQ(ShapeTest(AllOps(), "MatMul", "[2,?];[?,3]"), "[2,3]");
  EXPECT_EQ(ShapeTest(AllOps(), "MatMul", "[3,?];[4,3]", {{"transpose_a", true}, {"transpose_b", true}}), "[?,4]");
  EXPECT_EQ(ShapeTest(AllOps(), "MatMul", "?;?"), "[?,?]");
  EXPECT_EQ(ShapeTest(AllOps(), "MatMul", "[2,3];[4,5]"), "error: Dimensions must be equal, but are 3 and 4");
  EXPECT_EQ(ShapeTest(AllOps(), "BatchMatMul", "[7,2,3];[?,3,4]"), "[7,2,4]");
  EXPECT_EQ(ShapeTest(AllOps(), "BatchMatMulV2", "[7,1,2,3];[5,3,4]"), "[7,5,2,4]");
  EXPECT_EQ(ShapeTest(AllOps(), "BatchMatMulV2", "?;[5,3,4]"), "?");
  EXPECT_EQ(ShapeTest(AllOps(), "Einsum", "[?,3];[3,?]", {{"equation", "ij,jk->ki"}}), "[?,?]");
  EXPECT_EQ(ShapeTest(AllOps(), "Einsum", "[?,1,2,3];[5,?,3,4]", {{"equation", "...ij,...jk->...ik"}}), "[5,?,2,4]");
  EXPECT_EQ(ShapeTest(AllOps(), "Einsum", "?;[3,4]", {{"equation", "ij,jk->ik"}}), "[?,4]");
  EXPECT_EQ(ShapeTest(AllOps(), "Einsum", "?;[3,4]", {{"equation", "...ij,jk->...ik"}}), "?");
}

TEST(MatMulOps, BatchesBroadcast) {
  const Tensor rows = Count({2, 1, 3}), column = F({3, 1}, {1, 1, 1});
  EXPECT_EQ(RunOp("BatchMatMulV2", {rows, column}), F({2, 1, 1}, {6, 15}).ToString());
  EXPECT_EQ(RunOp("BatchMatMulV2", {Count({1, 3}), Count({2, 3, 1})}), F({2, 1, 1}, {14, 32}).ToString());
  EXPECT_EQ(RunOp("BatchMatMulV2", {Count({2, 1, 1, 1}), Count({3, 1, 1})}),
            F({2, 3, 1, 1}, {1, 2, 3, 2, 4, 6}).ToString());
  EXPECT_EQ(RunOp("BatchMatMulV2", {F({0, 1, 3}, {}), column}), F({0, 1, 1}, {}).ToString());
}

TEST(EinsumOp, Values) {
  EXPECT_EQ(Einsum("ij->ji", {Count({2, 3})}), F({3, 2}, {1, 4, 2, 5, 3, 6}).ToString());
  EXPECT_EQ(Einsum("ii->", {Count({2, 2})}), Tensor::Scalar(5.0f).ToString());
  EXPECT_EQ(Einsum("ii->i", {Count({2, 2})}), F({2}, {1, 4}).ToString());
  EXPECT_EQ(Einsum("i->ii", {Count({2})}), F({2, 2}, {1, 0, 0, 2}).ToString());
  EXPECT_EQ(Einsum("ij->ii", {F({2, 2}, {1, 1, 1, 1})}), F({2, 2}, {2, 0, 0, 2}).ToString());
  EXPECT_EQ(Einsum("ijk,jil->kl", {Count({2, 3, 2}), Count({3, 2, 2})}), F({2, 2}, {266, 302, 302, 344}).ToString());
  EXPECT_EQ(Einsum("iij,jk->ik", {Count({2, 2, 2}), Count({2, 2})}), F({2, 2}, {7, 10, 31, 46}).ToString());
  EXPECT_EQ(Einsum("...,...->...", {Count({2, 1}), Count({3})}), F({2, 3}, {1, 2, 3, 2, 4, 6}).ToString());
  EXPECT_EQ(Einsum("i...j->j...i", {Count({2, 1, 3})}), F({3, 1, 2}, {1, 4, 2, 5, 3, 6}).ToString());
  EXPECT_EQ(Einsum("ij,jk->ik", {F({2, 0}, {}), F({0, 2}, {})}), F({2, 2}, {0, 0, 0, 0}).ToString());
  EXPECT_EQ(Einsum("i,->i", {Count({2}), Tensor::Scalar(3.0f)}), F({2}, {3, 6}).ToString());
}

TEST(EinsumOp, Errors) {
  const Tensor m = Count({2, 2});
  EXPECT_EQ(Einsum("ij,jk", {m, m}), "Expecting exactly one '->' in einsum equation: ij,jk");
  EXPECT_EQ(Einsum("ij,jk->ik", {m}), "Expected 2 inputs for equation ij,jk->ik but got: 1");
  EXPECT_EQ(Einsum("ij,jk,kl->il", {m, m, m}),
            "Expecting 1 or 2 input subscripts in equation 'ij,jk,kl->il' but got: 3");
  EXPECT_EQ(Einsum("ijk->i", {m}), "Expected input 0 to have rank 3 but got: 2");
  EXPECT_EQ(Einsum("i.j->ij", {m}),
            "Expected at most one ellipsis (...), but found 1 periods (.) in the input subscript: i.j");
  EXPECT_NE(Einsum("ij->iq", {m}).find("has label 'q'"), std::string::npos);
  EXPECT_NE(Einsum("...->", {m}).find("no ellipsis"), std::string::npos);
}

TEST(MatMulOps, Gradients) {
  for (int flags = 0; flags < 4; ++flags) {
    const bool a = flags & 1, b = flags & 2;
    const Tensor x = SomeDoubles(a ? Shape{3, 2} : Shape{2, 3}), y = SomeDoubles(b ? Shape{4, 3} : Shape{3, 4}, 1);
    EXPECT_EQ(CheckGradient("MatMul", {x, y}, {{"transpose_a", a}, {"transpose_b", b}}), "");
    EXPECT_EQ(CheckGradient("BatchMatMul",
                            {x.Reshaped(Shape::Make({1, x.dim(0), x.dim(1)}).value()),
                             y.Reshaped(Shape::Make({1, y.dim(0), y.dim(1)}).value())},
                            {{"adj_x", a}, {"adj_y", b}}),
              "");
    const Tensor xs = SomeDoubles(a ? Shape{2, 1, 3, 2} : Shape{2, 1, 2, 3}),
                 ys = SomeDoubles(b ? Shape{2, 4, 3} : Shape{2, 3, 4}, 1);
    EXPECT_EQ(CheckGradient("BatchMatMulV2", {xs, ys}, {{"adj_x", a}, {"adj_y", b}}), "");
    EXPECT_EQ(CheckGradient("BatchMatMulV2", {xs, y}, {{"adj_x", a}, {"adj_y", b}}), "");
  }
}

TEST(EinsumOp, Gradients) {
  const std::vector<std::pair<std::string, std::vector<Shape>>> cases = {
      {"ij,jk->ik", {{2, 3}, {3, 2}}},
      {"ij->", {{2, 3}}},
      {"ii->i", {{3, 3}}},
      {"i->ii", {{3}}},
      {"ijj->i", {{2, 3, 3}}},
      {"ij,kl->il", {{2, 3}, {4, 2}}},
      {"bqhd,bkhd->bhqk", {{2, 2, 1, 3}, {2, 3, 1, 3}}},
      {"...ij,...jk->...ik", {{2, 1, 1, 2}, {3, 2, 2}}},
      {"ij,...jk->...ik", {{2, 3}, {2, 3, 2}}},
      {"...ij->...i", {{2, 2, 3}}},
      {"...ijj->...i", {{2, 2, 2, 2}}},
      {"aij,jk->ik", {{2, 2, 3}, {3, 2}}},
  };
  for (const auto& [equation, shapes] : cases) {
    std::vector<Tensor> inputs;
    for (const Shape& shape : shapes) inputs.push_back(SomeDoubles(shape, static_cast<int>(inputs.size())));
    EXPECT_EQ(CheckGradient("Einsum", inputs, {{"equation", equation}}), "") << equation;
  }
}

}  // namespace
}  // namespace weir::ops::matmul_ops_test

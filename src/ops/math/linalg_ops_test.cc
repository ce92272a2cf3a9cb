// Linear algebra: reconstruction from results, errors, shapes, gradients.
#include <gtest/gtest.h>

#include "op/testing.h"
#include "ops/math/gradient_check_test.h"

namespace weir::ops::linalg_ops_test {
namespace {

// A matrix that is far from singular.
Tensor WellConditioned(int64_t n, int salt = 0) {
  Tensor t = SomeDoubles({n, n}, salt);
  for (int64_t i = 0; i < n; ++i) t.data<double>()[i * n + i] += 4;
  return t;
}
std::vector<Tensor> RunOp(const char* op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
  auto result = RunKernel(AllOps(), op, std::move(inputs), std::move(attrs));
  EXPECT_TRUE(result.ok()) << op << ": " << result.status();
  return result.ok() ? *std::move(result) : std::vector<Tensor>(3, Tensor::Scalar(0.0));
}
Tensor Times(const Tensor& a, const Tensor& b, bool adj_a = false, bool adj_b = false) {
  return RunOp("BatchMatMulV2", {a, b}, {{"adj_x", adj_a}, {"adj_y", adj_b}})[0];
}
Tensor Definite(int64_t n) {
  const Tensor a = SomeDoubles({n, n});
  Tensor t = Times(a, a, false, true);
  for (int64_t i = 0; i < n; ++i) t.data<double>()[i * n + i] += 1;
  return t;
}
void ExpectNear(const Tensor& got, const Tensor& want, double tolerance = 1e-9) {
  ASSERT_EQ(got.shape().ToString(), want.shape().ToString());
  for (int64_t i = 0; i < got.num_elements(); ++i)
    ASSERT_NEAR(got.data<double>()[i], want.data<double>()[i], tolerance);
}
Tensor Eye(int64_t n) {
  Tensor t = Tensor::Zeros(kDouble, Shape::Make({n, n}).value()).value();
  for (int64_t i = 0; i < n; ++i) t.data<double>()[i * n + i] = 1;
  return t;
}
std::string Error(const char* op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
  const auto result = RunKernel(AllOps(), op, std::move(inputs), std::move(attrs));
  EXPECT_EQ(result.status().code(), StatusCode::kInvalidArgument) << op;
  return std::string(result.status().message());
}

TEST(LinalgOps, InversesAndSystems) {
  const Tensor a = WellConditioned(4), b = SomeDoubles({4, 2}, 3);
  ExpectNear(Times(a, RunOp("MatrixInverse", {a})[0]), Eye(4));
  ExpectNear(Times(a, RunOp("MatrixInverse", {a}, {{"adjoint", true}})[0], true), Eye(4));
  ExpectNear(Times(a, RunOp("MatrixSolve", {a, b})[0]), b);
  ExpectNear(Times(a, RunOp("MatrixSolve", {a, b}, {{"adjoint", true}})[0], true), b);
  EXPECT_EQ(RunOp("MatrixInverse", {Tensor::Zeros(kFloat, {2, 0, 0}).value()})[0].num_elements(), 0);
}

TEST(LinalgOps, TriangularSystemsReadOneTriangle) {
  const Tensor a = WellConditioned(3), b = SomeDoubles({3, 2}, 3);
  for (const bool lower : {true, false}) {
    Tensor triangle = a.Clone().value();
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        if (lower ? j > i : j < i) triangle.data<double>()[i * 3 + j] = 0;
      }
    }
    for (const bool adjoint : {true, false}) {
      ExpectNear(
          Times(triangle, RunOp("MatrixTriangularSolve", {a, b}, {{"lower", lower}, {"adjoint", adjoint}})[0], adjoint),
          b);
    }
  }
  EXPECT_EQ(RunOp("MatrixTriangularSolve", {a, SomeDoubles({2, 3, 1})})[0].shape().ToString(), "[2,3,1]");
}

TEST(LinalgOps, Determinants) {
  const Tensor a = Tensor::Of<double>({2, 2, 2}, {1, 2, 3, 4, 0, 1, 1, 0});
  ExpectNear(RunOp("MatrixDeterminant", {a})[0], Tensor::Vector<double>({-2, -1}));
  const std::vector<Tensor> parts = RunOp("LogMatrixDeterminant", {a});
  ExpectNear(parts[0], Tensor::Vector<double>({-1, -1}));
  ExpectNear(parts[1], Tensor::Vector<double>({std::log(2.0), 0}));
  EXPECT_EQ(RunOp("MatrixDeterminant", {Tensor::Zeros(kDouble, {0, 0}).value()})[0].scalar<double>(), 1);
  EXPECT_EQ(RunOp("LogMatrixDeterminant", {Tensor::Zeros(kDouble, {2, 2}).value()})[1].scalar<double>(), -INFINITY);
}

TEST(LinalgOps, Decompositions) {
  const Tensor s = Definite(4);
  const Tensor l = RunOp("Cholesky", {s})[0];
  ExpectNear(Times(l, l, false, true), s);
  EXPECT_EQ(l.data<double>()[1], 0);
  const Tensor root = RunOp("MatrixSquareRoot", {s})[0];
  ExpectNear(Times(root, root), s);
  const std::vector<Tensor> eigen = RunOp("SelfAdjointEigV2", {s});
  const Tensor diagonal = RunOp("MatrixDiag", {eigen[0]})[0];
  ExpectNear(Times(Times(eigen[1], diagonal), eigen[1], false, true), s);
  for (const Shape& shape : {Shape{4, 3}, Shape{3, 4}}) {
    const Tensor a = SomeDoubles(shape);
    for (const bool full : {false, true}) {
      const std::vector<Tensor> qr = RunOp("Qr", {a}, {{"full_matrices", full}});
      ExpectNear(Times(qr[0], qr[1]), a);
      ExpectNear(Times(qr[0], qr[0], true), Eye(full ? shape[0] : 3));
    }
    const std::vector<Tensor> svd = RunOp("Svd", {a});
    ExpectNear(Times(Times(svd[1], RunOp("MatrixDiag", {svd[0]})[0]), svd[2], false, true), a);
    EXPECT_EQ(RunOp("Svd", {a}, {{"full_matrices", true}})[1].dim(1), shape[0]);
    EXPECT_EQ(RunOp("Svd", {a}, {{"compute_uv", false}})[1].num_elements(), 0);
  }
  // Not positive definite: NaNs in the lower triangle.
  const Tensor bad = RunOp("Cholesky", {Tensor::Of<float>({2, 2}, {-1, 0, 0, -1})})[0];
  EXPECT_TRUE(std::isnan(bad.data<float>()[0]));
  EXPECT_EQ(bad.data<float>()[1], 0);
}

// Sizes below, at and above those of the blocks that decompositions work in.
TEST(LinalgOps, DecompositionsOfAllSizes) {
  for (const int64_t n : {1, 2, 16, 17, 33, 70}) {
    const Tensor s = Definite(n), a = SomeDoubles(Shape::Make({n, n + 2}).value());
    const std::vector<Tensor> eigen = RunOp("SelfAdjointEigV2", {s});
    ExpectNear(Times(Times(eigen[1], RunOp("MatrixDiag", {eigen[0]})[0]), eigen[1], false, true), s, 1e-8);
    ExpectNear(RunOp("SelfAdjointEigV2", {s}, {{"compute_v", false}})[0], eigen[0], 1e-8);
    const std::vector<Tensor> svd = RunOp("Svd", {a});
    ExpectNear(Times(Times(svd[1], RunOp("MatrixDiag", {svd[0]})[0]), svd[2], false, true), a, 1e-8);
    ExpectNear(RunOp("Svd", {a}, {{"compute_uv", false}})[0], svd[0], 1e-8);
    const Tensor root = RunOp("MatrixSquareRoot", {s})[0];
    ExpectNear(Times(root, root), s, 1e-7);
  }
}

// Many solutions exist: expects the one with the smallest norm.
TEST(LinalgOps, LeastSquaresOfRankDeficientMatrices) {
  const Tensor a = Tensor::Of<double>({3, 2}, {1, 2, 2, 4, 3, 6}), b = Tensor::Of<double>({3, 1}, {1, 2, 3});
  const Tensor l2 = Tensor::Scalar(0.0);
  ExpectNear(RunOp("MatrixSolveLs", {a, b, l2}, {{"fast", false}})[0], Tensor::Of<double>({2, 1}, {0.2, 0.4}));
  const Tensor zero = Tensor::Zeros(kDouble, {3, 2}).value();
  ExpectNear(RunOp("MatrixSolveLs", {zero, b, l2}, {{"fast", false}})[0], Tensor::Of<double>({2, 1}, {0, 0}));
}

TEST(LinalgOps, LeastSquares) {
  const Tensor a = SomeDoubles({4, 2}), b = SomeDoubles({4, 1}, 2), l2 = Tensor::Scalar(0.0);
  // The residual is orthogonal to the columns of a.
  for (const bool fast : {true, false}) {
    const Tensor x = RunOp("MatrixSolveLs", {a, b, l2}, {{"fast", fast}})[0];
    ExpectNear(Times(a, Times(a, x), true), Times(a, b, true), 1e-8);
  }
  const Tensor wide = SomeDoubles({2, 4}), c = SomeDoubles({2, 1}, 2);
  for (const bool fast : {true, false})
    ExpectNear(Times(wide, RunOp("MatrixSolveLs", {wide, c, l2}, {{"fast", fast}})[0]), c, 1e-8);
}

TEST(LinalgOps, Errors) {
  const Tensor zero = Tensor::Zeros(kDouble, {2, 2}).value();
  EXPECT_EQ(Error("MatrixInverse", {zero}), "Input is not invertible.");
  EXPECT_EQ(Error("MatrixSolve", {zero, zero}), "Input matrix is not invertible.");
  EXPECT_NE(Error("MatrixSolveLs", {zero, zero, Tensor::Scalar(0.0)}).find("rank deficient"), std::string::npos);
  EXPECT_NE(Error("MatrixSolveLs", {zero, zero, Tensor::Scalar(-1.0)}).find("l2_regularizer must be >= 0"),
            std::string::npos);
  Tensor nan = zero.Clone().value();
  nan.data<double>()[0] = std::nan("");
  EXPECT_NE(Error("SelfAdjointEigV2", {nan}).find("not successful"), std::string::npos);
  EXPECT_EQ(Error("MatrixInverse", {nan}), "Input is not invertible.");
  EXPECT_NE(Error("MatrixSolveLs", {nan, zero, Tensor::Scalar(0.0)}, {{"fast", false}}).find("not finite"),
            std::string::npos);
  Tensor unread = Eye(2);
  unread.data<double>()[1] = std::nan("");
  ExpectNear(RunOp("SelfAdjointEigV2", {unread})[0], Tensor::Vector<double>({1, 1}));
  for (const char* op : {"MatrixInverse", "MatrixDeterminant", "Cholesky", "SelfAdjointEigV2", "MatrixSquareRoot"}) {
    EXPECT_NE(Error(op, {SomeDoubles({2, 3})}), "");
    EXPECT_NE(Error(op, {SomeDoubles({3})}), "");
  }
}

TEST(LinalgOps, Shapes) {
  EXPECT_EQ(ShapeTest(AllOps(), "MatrixInverse", "[2,?,3]"), "[2,3,3]");
  EXPECT_EQ(ShapeTest(AllOps(), "MatrixInverse", "[2,3]").substr(0, 5), "error");
  EXPECT_EQ(ShapeTest(AllOps(), "LogMatrixDeterminant", "[2,3,3]"), "[2];[2]");
  EXPECT_EQ(ShapeTest(AllOps(), "MatrixSolve", "[?,3,?];[2,?,5]"), "[2,3,5]");
  EXPECT_EQ(ShapeTest(AllOps(), "MatrixTriangularSolve", "[2,1,3,3];[4,3,?]"), "[2,4,3,?]");
  EXPECT_EQ(ShapeTest(AllOps(), "MatrixSolveLs", "[4,3];[4,2];[]"), "[3,2]");
  EXPECT_EQ(ShapeTest(AllOps(), "Qr", "[4,3]"), "[4,3];[3,3]");
  EXPECT_EQ(ShapeTest(AllOps(), "Qr", "[4,3]", {{"full_matrices", true}}), "[4,4];[4,3]");
  EXPECT_EQ(ShapeTest(AllOps(), "Svd", "[5,4,?]"), "[5,?];[5,4,?];[5,?,?]");
  EXPECT_EQ(ShapeTest(AllOps(), "SelfAdjointEigV2", "[5,4,?]"), "[5,4];[5,4,4]");
  EXPECT_EQ(ShapeTest(AllOps(), "Cholesky", "?"), "?");
}

TEST(LinalgOps, Gradients) {
  const Tensor a = WellConditioned(3), b = SomeDoubles({3, 2}, 2), s = Definite(3);
  for (const bool adjoint : {false, true}) {
    EXPECT_EQ(CheckGradient("MatrixInverse", {a}, {{"adjoint", adjoint}}), "");
    EXPECT_EQ(CheckGradient("MatrixSolve", {a, b}, {{"adjoint", adjoint}}), "");
    for (const bool lower : {false, true})
      EXPECT_EQ(CheckGradient("MatrixTriangularSolve", {a, b}, {{"adjoint", adjoint}, {"lower", lower}}), "");
  }
  EXPECT_EQ(CheckGradient("MatrixTriangularSolve", {a, SomeDoubles({2, 3, 1})}), "");
  EXPECT_EQ(CheckGradient("MatrixDeterminant", {a}, {}, {.tolerance = 1e-5}), "");
  EXPECT_EQ(CheckGradient("LogMatrixDeterminant", {a}), "");
  EXPECT_EQ(CheckGradient("MatrixSquareRoot", {s}), "");
  EXPECT_EQ(CheckGradient("SelfAdjointEigV2", {s}, {}, {.tolerance = 1e-5}), "");
  EXPECT_EQ(CheckGradient("SelfAdjointEigV2", {s}, {{"compute_v", false}}, {.outputs = 1, .tolerance = 1e-5}), "");
  for (const Shape& shape : {Shape{3, 3}, Shape{4, 3}, Shape{2, 3}}) {
    const Tensor m = SomeDoubles(shape);
    EXPECT_EQ(CheckGradient("Qr", {m}, {}, {.known_shapes_only = true, .tolerance = 1e-5}), "");
    EXPECT_EQ(CheckGradient("Svd", {m}, {}, {.known_shapes_only = true, .tolerance = 1e-4}), "");
    EXPECT_EQ(
        CheckGradient("MatrixSolveLs", {m, SomeDoubles(Shape::Make({shape[0], 2}).value(), 4), Tensor::Scalar(0.3)}, {},
                      {.known_shapes_only = true, .tolerance = 1e-4}),
        "");
  }
}

// Changes of the input must be symmetric, because the decomposition reads only one triangle.
TEST(LinalgOps, GradientOfCholesky) {
  // L = [[a, 0], [b/a, sqrt(c - b^2/a^2)]] of [[a^2, b], [b, c]].
  const Tensor l = Tensor::Of<double>({2, 2}, {2, 0, 1, 2}), dl = Tensor::Of<double>({2, 2}, {1, 0, 1, 1});
  // d(l00 + l10 + l11): s00: 1/4 - 1/8 + 1/16, s10 (both): 1/2 - 1/4, s11: 1/4.
  const Tensor expected = Tensor::Of<double>({2, 2}, {0.1875, 0.125, 0.125, 0.25});
  ExpectNear(RunOp("CholeskyGrad", {l, dl})[0], expected);
}

}  // namespace
}  // namespace weir::ops::linalg_ops_test

// Factors multiplied together again, in sizes below, at and above those of the blocks.
#include "device/cpu/dense_factors.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace weir {
namespace {

using Complex = std::complex<double>;
constexpr int64_t kFactorSizes[] = {1, 2, 7, 16, 17, 31, 32, 33, 64, 65, 100};

double Conj(double x) { return x; }
Complex Conj(Complex x) { return std::conj(x); }

template <class C>
struct Dense {
  int64_t rows, cols;
  std::vector<C> data;
  Dense(int64_t r, int64_t c) : rows(r), cols(c), data(static_cast<size_t>(r * c)) {}
  C& operator()(int64_t i, int64_t j) { return data[static_cast<size_t>(i * cols + j)]; }
  C operator()(int64_t i, int64_t j) const { return data[static_cast<size_t>(i * cols + j)]; }
};

template <class C>
Dense<C> Some(int64_t rows, int64_t cols) {
  Dense<C> m(rows, cols);
  uint64_t state = 1;
  auto next = [&state] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 33) / static_cast<double>(1u << 30) - 1;
  };
  for (C& x : m.data) {
    x = next();
    if constexpr (std::is_same_v<C, Complex>) x += Complex(0, next());
  }
  return m;
}
template <class C>
Dense<C> Times(const Dense<C>& a, const Dense<C>& b) {
  Dense<C> c(a.rows, b.cols);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t k = 0; k < a.cols; ++k) {
      for (int64_t j = 0; j < b.cols; ++j) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}
template <class C>
Dense<C> Adjoint(const Dense<C>& a) {
  Dense<C> b(a.cols, a.rows);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.cols; ++j) b(j, i) = Conj(a(i, j));
  }
  return b;
}
// With `upper`, the upper triangle with the diagonal. Else the lower triangle, with ones on the diagonal.
template <class C>
Dense<C> Part(const Dense<C>& a, bool upper) {
  Dense<C> b(a.rows, a.cols);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.cols; ++j)
      b(i, j) = upper ? (i <= j ? a(i, j) : C(0)) : i == j ? C(1) : i > j ? a(i, j) : C(0);
  }
  return b;
}
template <class C>
void ExpectNear(const Dense<C>& a, const Dense<C>& b, const char* what) {
  double worst = 0;
  for (size_t i = 0; i < a.data.size(); ++i) {
    const double difference = std::abs(a.data[i] - b.data[i]);
    if (!(difference <= worst)) worst = difference;  // NaN too
  }
  EXPECT_LT(worst, 1e-10) << what << " of [" << a.rows << "," << a.cols << "]";
}

template <class C>
class DenseFactors : public ::testing::Test {
 protected:
  FactorScratch scratch_;
};
using Types = ::testing::Types<double, Complex>;
TYPED_TEST_SUITE(DenseFactors, Types);

TYPED_TEST(DenseFactors, Lu) {
  for (const int64_t n : kFactorSizes) {
    Dense<TypeParam> a = Some<TypeParam>(n, n), lu = a;
    std::vector<int64_t> pivots(static_cast<size_t>(n));
    FactorLu(n, lu.data.data(), pivots.data(), this->scratch_);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t other = pivots[static_cast<size_t>(i)];
      if (other != i) std::swap_ranges(&a(i, 0), &a(i, 0) + n, &a(other, 0));
    }
    ExpectNear(Times(Part(lu, false), Part(lu, true)), a, "LU");
  }
}

TYPED_TEST(DenseFactors, LuPivotsOnExtremeNumbers) {
  for (const double scale : {1e-300, 1e300}) {
    Dense<TypeParam> a(2, 2);
    a(0, 0) = 1e-5 * scale, a(0, 1) = scale, a(1, 0) = scale, a(1, 1) = scale;
    int64_t pivots[2];
    FactorLu(2, a.data.data(), pivots, this->scratch_);
    EXPECT_EQ(pivots[0], 1);
  }
}

TYPED_TEST(DenseFactors, CholeskyReadsAndWritesTheLowerTriangle) {
  for (const int64_t n : kFactorSizes) {
    const Dense<TypeParam> some = Some<TypeParam>(n, n);
    Dense<TypeParam> a = Times(some, Adjoint(some));
    for (int64_t i = 0; i < n; ++i) a(i, i) += 1.0;
    Dense<TypeParam> l = a;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = i + 1; j < n; ++j) l(i, j) = 77;
    }
    ASSERT_TRUE(FactorCholesky(n, l.data.data(), this->scratch_));
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = i + 1; j < n; ++j) ASSERT_EQ(l(i, j), TypeParam(77)) << i << " " << j << " of " << n;
      for (int64_t j = i + 1; j < n; ++j) l(i, j) = 0;
    }
    ExpectNear(Times(l, Adjoint(l)), a, "Cholesky");
    a(n - 1, n - 1) = -1e6;
    EXPECT_FALSE(FactorCholesky(n, a.data.data(), this->scratch_));
  }
}

TYPED_TEST(DenseFactors, Triangles) {
  for (const int64_t n : kFactorSizes) {
    for (const int64_t k : {1, 3, 40}) {
      for (const bool lower : {false, true}) {
        Dense<TypeParam> a = Some<TypeParam>(n, n);
        for (int64_t i = 0; i < n; ++i) a(i, i) = 2.0 * static_cast<double>(n);
        const Dense<TypeParam> b = Some<TypeParam>(n, k);
        Dense<TypeParam> x = b;
        SolveTriangle<TypeParam>({.lower = lower}, n, k, a.data.data(), n, x.data.data(), k, this->scratch_);
        ExpectNear(Times(lower ? Adjoint(Part(Adjoint(a), true)) : Part(a, true), x), b, "a triangle");
      }
    }
  }
}

TYPED_TEST(DenseFactors, Qr) {
  for (const int64_t m : kFactorSizes) {
    for (const int64_t n : {int64_t{1}, int64_t{40}, m, m + 3}) {
      const Dense<TypeParam> a = Some<TypeParam>(m, n);
      const int64_t rank = std::min(m, n);
      Dense<TypeParam> qr = a, q(m, m);
      std::vector<TypeParam> tau(static_cast<size_t>(rank));
      FactorQr(m, n, qr.data.data(), tau.data(), this->scratch_);
      FormReflectors(m, rank, qr.data.data(), n, tau.data(), m, q.data.data(), this->scratch_);
      ExpectNear(Times(q, Part(qr, true)), a, "QR");
      Dense<TypeParam> back = a;
      ApplyReflectors(/*adjoint=*/true, m, rank, qr.data.data(), n, tau.data(), n, back.data.data(), n, this->scratch_);
      ExpectNear(back, Part(qr, true), "R");
      ApplyReflectors(/*adjoint=*/false, m, rank, qr.data.data(), n, tau.data(), n, back.data.data(), n,
                      this->scratch_);
      ExpectNear(back, a, "QR again");
    }
  }
}

TYPED_TEST(DenseFactors, PivotedQrShowsTheRank) {
  for (const auto& [m, n] : {std::pair(9, 5), std::pair(5, 9), std::pair(40, 40)}) {
    const Dense<TypeParam> a = Times(Some<TypeParam>(m, 3), Some<TypeParam>(3, n));
    Dense<TypeParam> qr = a, moved(m, n);
    std::vector<TypeParam> tau(static_cast<size_t>(std::min(m, n)));
    std::vector<int64_t> columns(static_cast<size_t>(n));
    FactorPivotedQr(m, n, qr.data.data(), tau.data(), columns.data());
    EXPECT_GT(std::abs(qr(2, 2)), 1e-6);
    EXPECT_LT(std::abs(qr(3, 3)), 1e-12);
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) moved(i, j) = a(i, columns[static_cast<size_t>(j)]);
    }
    Dense<TypeParam> back = Part(qr, true);
    ApplyReflectors(/*adjoint=*/false, m, std::min(m, n), qr.data.data(), n, tau.data(), n, back.data.data(), n,
                    this->scratch_);
    ExpectNear(back, moved, "pivoted QR");
  }
}

}  // namespace
}  // namespace weir

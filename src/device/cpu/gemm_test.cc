#include "device/cpu/gemm.h"

#include <gtest/gtest.h>

#include <vector>

namespace weir {
namespace {

template <class T>
std::vector<T> Numbers(int64_t n, int salt) {
  std::vector<T> v(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i)
    v[static_cast<size_t>(i)] = T(static_cast<float>((i * 7 + int64_t{salt} * 3 + i / 5) % 11));
  return v;
}

// Uses small integers, so that products are exact in every type.
template <class T>
void CheckAgainstPlainLoop(const GemmLayout& l, ThreadPool* pool) {
  const std::vector<T> a = Numbers<T>(l.m * l.k, 1);
  const std::vector<T> b = Numbers<T>(l.k * l.n, 2);
  std::vector<T> c = Numbers<T>(l.m * l.n, 3);
  std::vector<T> expected = c;
  for (int64_t i = 0; i < l.m; ++i) {
    for (int64_t j = 0; j < l.n; ++j) {
      T sum = l.accumulate ? expected[i * l.n + j] : T(0.0f);
      for (int64_t p = 0; p < l.k; ++p) {
        sum = T(sum + a[l.transpose_a ? p * l.m + i : i * l.k + p] * b[l.transpose_b ? j * l.k + p : p * l.n + j]);
      }
      expected[i * l.n + j] = sum;
    }
  }
  ASSERT_TRUE(Gemm(pool, l, a.data(), b.data(), c.data()).ok());
  for (size_t i = 0; i < c.size(); ++i) ASSERT_EQ(c[i], expected[i]) << "element " << i << " of " << l.m << "x" << l.n;
}

template <class T>
void CheckManyLayouts(const std::vector<std::vector<int64_t>>& sizes) {
  ThreadPool pool("gemm", 3);
  for (const auto& s : sizes) {
    for (int flags = 0; flags < 8; ++flags) {
      const GemmLayout l{.m = s[0],
                         .n = s[1],
                         .k = s[2],
                         .transpose_a = (flags & 1) != 0,
                         .transpose_b = (flags & 2) != 0,
                         .accumulate = (flags & 4) != 0};
      CheckAgainstPlainLoop<T>(l, &pool);
    }
  }
}

const std::vector<std::vector<int64_t>> kSizes = {
    {1, 1, 1},      {3, 5, 7}, {7, 1, 64}, {1, 33, 20}, {65, 70, 300}, {200, 9, 31},  {13, 530, 17},
    {129, 257, 65}, {2, 3, 0}, {0, 4, 2},  {4, 0, 2},   {16, 64, 64},  {33, 140, 150}};

TEST(Gemm, Float) { CheckManyLayouts<float>(kSizes); }
TEST(Gemm, Double) { CheckManyLayouts<double>(kSizes); }
TEST(Gemm, UnsignedIntegers) {
  CheckManyLayouts<uint8_t>(kSizes);
  CheckManyLayouts<uint32_t>({{3, 5, 7}, {20, 300, 70}});
  CheckManyLayouts<uint64_t>({{3, 5, 7}});
}
TEST(Gemm, Complex) { CheckManyLayouts<std::complex<float>>({{3, 5, 7}, {20, 30, 70}}); }
TEST(Gemm, NarrowFloatsRoundOnce) {
  CheckManyLayouts<half>({{3, 5, 7}, {2, 2, 0}});
  // With an 8-bit mantissa 256 + 1 rounds to 256. Rounding only once gives 256 + 64 = 320.
  std::vector<bfloat16> a(65, bfloat16(1.0f));
  a[0] = bfloat16(256.0f);
  const std::vector<bfloat16> b(65, bfloat16(1.0f));
  bfloat16 c;
  ASSERT_TRUE(Gemm(nullptr, {.m = 1, .n = 1, .k = 65}, a.data(), b.data(), &c).ok());
  EXPECT_EQ(static_cast<float>(c), 320.0f);
}

TEST(Gemm, ConjugatesComplexOperands) {
  using C = std::complex<float>;
  const C a(1, 2), b(3, 4);
  C c;
  ASSERT_TRUE(Gemm(nullptr, {.m = 1, .n = 1, .k = 1, .conjugate_a = true}, &a, &b, &c).ok());
  EXPECT_EQ(c, std::conj(a) * b);
  ASSERT_TRUE(Gemm(nullptr, {.m = 1, .n = 1, .k = 1, .conjugate_b = true}, &a, &b, &c).ok());
  EXPECT_EQ(c, a * std::conj(b));
}

TEST(Gemm, RespectsLeadingDimensions) {
  const std::vector<float> a = {1, 2, -1, 3, 4, -1};  // [2,2] with lda = 3
  const std::vector<float> b = {1, 1, -1, -1, 1, 2, -1, -1};
  std::vector<float> c(8, 9.0f);
  ASSERT_TRUE(Gemm(nullptr, {.m = 2, .n = 2, .k = 2, .lda = 3, .ldb = 4, .ldc = 4}, a.data(), b.data(), c.data()).ok());
  EXPECT_EQ(c, (std::vector<float>{3, 5, 9, 9, 7, 11, 9, 9}));
}

// Also covers the sizes for which the small matrices are transposed instead of the large one.
TEST(Gemm, RespectsLeadingDimensionsOfManySizes) {
  ThreadPool pool("gemm", 3);
  constexpr int64_t kGap = 5;
  for (const auto& s : kSizes) {
    for (int flags = 0; flags < 8; ++flags) {
      GemmLayout l{.m = s[0],
                   .n = s[1],
                   .k = s[2],
                   .transpose_a = (flags & 1) != 0,
                   .transpose_b = (flags & 2) != 0,
                   .accumulate = (flags & 4) != 0};
      l.lda = (l.transpose_a ? l.m : l.k) + kGap;
      l.ldb = (l.transpose_b ? l.k : l.n) + kGap + 1;
      l.ldc = l.n + kGap + 2;
      const std::vector<float> a = Numbers<float>((l.transpose_a ? l.k : l.m) * l.lda, 1);
      const std::vector<float> b = Numbers<float>((l.transpose_b ? l.n : l.k) * l.ldb, 2);
      std::vector<float> c = Numbers<float>(l.m * l.ldc, 3);
      std::vector<float> expected = c;
      for (int64_t i = 0; i < l.m; ++i) {
        for (int64_t j = 0; j < l.n; ++j) {
          float& sum = expected[i * l.ldc + j];
          if (!l.accumulate) sum = 0;
          for (int64_t p = 0; p < l.k; ++p)
            sum += a[l.transpose_a ? p * l.lda + i : i * l.lda + p] * b[l.transpose_b ? j * l.ldb + p : p * l.ldb + j];
        }
      }
      ASSERT_TRUE(Gemm(&pool, l, a.data(), b.data(), c.data()).ok());
      ASSERT_EQ(c, expected) << l.m << "x" << l.n << "x" << l.k << " " << flags;
    }
  }
}

TEST(Gemm, FinishesEveryElementOnce) {
  ThreadPool pool("gemm", 3);
  for (const auto& s : kSizes) {
    for (const bool transposed : {false, true}) {
      const GemmLayout l{.m = s[0], .n = s[1], .k = s[2], .transpose_a = transposed, .transpose_b = transposed};
      const std::vector<float> a = Numbers<float>(l.m * l.k, 1), b = Numbers<float>(l.k * l.n, 2);
      std::vector<float> expected(static_cast<size_t>(l.m * l.n)), c(expected.size());
      ASSERT_TRUE(Gemm(&pool, l, a.data(), b.data(), expected.data()).ok());
      for (size_t i = 0; i < expected.size(); ++i) expected[i] = 2 * expected[i] + static_cast<float>(i % l.n);
      const Status status =
          GemmWithEpilogue(&pool, l, a.data(), b.data(), c.data(),
                           [](float* rows, int64_t count, int64_t stride, int64_t column, int64_t columns) {
                             for (int64_t r = 0; r < count; ++r) {
                               for (int64_t j = 0; j < columns; ++j)
                                 rows[r * stride + j] = 2 * rows[r * stride + j] + static_cast<float>(column + j);
                             }
                           });
      ASSERT_TRUE(status.ok());
      EXPECT_EQ(c, expected) << l.m << "x" << l.n << "x" << l.k;
    }
  }
}

}  // namespace
}  // namespace weir

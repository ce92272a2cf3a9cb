#include "ops/math/vector_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace weir::ops::vector_math_test {
namespace {

// The distance of `got` from `want` in units in the last place of T.
template <class T>
double Ulps(T got, long double want) {
  const T nearest = static_cast<T>(want);
  if (std::isnan(got) || std::isnan(nearest)) return std::isnan(got) && std::isnan(nearest) ? 0 : 1e9;
  if (got == nearest) return std::signbit(got) == std::signbit(nearest) ? 0 : 1e9;
  if (std::isinf(got) || std::isinf(nearest)) return 1e9;
  const T size = std::abs(nearest);
  const T unit = std::nextafter(size, std::numeric_limits<T>::infinity()) - size;
  return static_cast<double>(std::abs(static_cast<long double>(got) - want) / unit);
}

template <class T>
void Check(const char* name, void (*function)(const T*, T*, int64_t), long double (*exact)(long double), double low,
           double high) {
  std::mt19937 rng(3);
  std::uniform_real_distribution<double> values(low, high);
  std::vector<T> x;
  for (int i = 0; i < 5003; ++i) {
    x.push_back(static_cast<T>(values(rng)));
    if (i % 3 == 0) x.back() *= static_cast<T>(std::pow(2.0, -static_cast<double>(rng() % 30)));
  }
  using Limits = std::numeric_limits<T>;
  for (T special : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), T(0), -T(0), T(1), T(-1),
                    Limits::max(), Limits::lowest(), Limits::min(), T(1e6), T(-100)}) {
    x.push_back(special);
  }
  std::vector<T> y(x.size());
  function(x.data(), y.data(), static_cast<int64_t>(x.size()));
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_LE(Ulps(y[i], exact(x[i])), 4)
        << name << "(" << x[i] << ") = " << y[i] << ", not " << static_cast<double>(exact(x[i]));
  }
  // Any length, in place.
  for (int64_t n = 0; n < 40; ++n) {
    std::vector<T> z(x.begin(), x.begin() + n);
    z.push_back(T(77));
    function(z.data(), z.data(), n);
    for (int64_t i = 0; i < n; ++i) ASSERT_EQ(z[i], y[i]);
    ASSERT_EQ(z[n], T(77));
  }
}

template <class T>
using Function = void (*)(const T*, T*, int64_t);

void CheckBoth(const char* name, Function<float> f, Function<double> d, long double (*exact)(long double), double low,
               double high) {
  Check<float>(name, f, exact, low, high);
  Check<double>(name, d, exact, low, high);
}

TEST(VectorMath, AgreesWithTheLibrary) {
  using L = long double;
  CheckBoth(
      "exp", ExpInto, ExpInto, [](L x) { return std::exp(x); }, -87, 88);
  CheckBoth(
      "expm1", Expm1Into, Expm1Into, [](L x) { return std::expm1(x); }, -20, 80);
  CheckBoth(
      "log", LogInto, LogInto, [](L x) { return std::log(x); }, 0, 1000);
  CheckBoth(
      "log1p", Log1pInto, Log1pInto, [](L x) { return std::log1p(x); }, -0.99, 1000);
  CheckBoth(
      "sin", SinInto, SinInto, [](L x) { return std::sin(x); }, -100, 100);
  CheckBoth(
      "cos", CosInto, CosInto, [](L x) { return std::cos(x); }, -100, 100);
  CheckBoth(
      "tanh", TanhInto, TanhInto, [](L x) { return std::tanh(x); }, -20, 20);
  CheckBoth(
      "sqrt", SqrtInto, SqrtInto, [](L x) { return std::sqrt(x); }, 0, 100);
  CheckBoth(
      "rsqrt", RsqrtInto, RsqrtInto, [](L x) { return 1 / std::sqrt(x); }, 0, 100);
  CheckBoth(
      "sigmoid", SigmoidInto, SigmoidInto, [](L x) { return 1 / (1 + std::exp(-x)); }, -80, 80);
  CheckBoth(
      "softplus", SoftplusInto, SoftplusInto,
      [](L x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }, -80, 80);
}

TEST(VectorMath, ReducesAnyLength) {
  for (int64_t n : {0, 1, 3, 16, 17, 63, 64, 65, 1000, 5000, 100000}) {
    std::vector<float> x(n);
    double sum = 0;
    float best = -std::numeric_limits<float>::infinity();
    for (int64_t i = 0; i < n; ++i) {
      x[i] = static_cast<float>((i * 37) % 101) - 50.25f;
      sum += static_cast<double>(x[i]);
      best = std::max(best, x[i]);
    }
    EXPECT_NEAR(SumOf(x.data(), n), sum, 1e-6 * (1 + static_cast<double>(n)));
    EXPECT_EQ(MaxOf(x.data(), n), best);
    for (float& v : x) v = -v;
    EXPECT_EQ(MinOf(x.data(), n), -best);
    if (n > 3) {
      x[n / 2] = std::numeric_limits<float>::quiet_NaN();
      EXPECT_TRUE(std::isnan(MaxOf(x.data(), n)));
      EXPECT_TRUE(std::isnan(MinOf(x.data(), n)));
    }
  }
}

TEST(VectorMath, KeepsTheAccuracyOfLongSums) {
  std::vector<float> x(10000000, 0.1f);
  EXPECT_NEAR(SumOf(x.data(), static_cast<int64_t>(x.size())), 1e6, 0.2);
}

TEST(VectorMath, ShiftsExponentials) {
  const float x[] = {1000, 999, -1e30f};
  float y[3];
  const float sum = ExpMinusInto(x, 1000, y, 3);
  EXPECT_EQ(y[0], 1);
  EXPECT_NEAR(y[1], std::exp(-1.0), 1e-7);
  EXPECT_EQ(y[2], 0);
  EXPECT_NEAR(sum, 1 + std::exp(-1.0), 1e-6);
}

TEST(VectorMath, ConvertsEveryHalf) {
  std::vector<half> narrow(65536);
  for (int i = 0; i < 65536; ++i) narrow[i] = half::FromBits(static_cast<uint16_t>(i));
  std::vector<float> wide(65536);
  WidenInto(narrow.data(), wide.data(), 65536);
  std::vector<half> back(65536);
  NarrowInto(wide.data(), back.data(), 65535);
  for (int i = 0; i < 65535; ++i) {
    const float want = static_cast<float>(narrow[i]);
    if (std::isnan(want)) {
      ASSERT_TRUE(std::isnan(wide[i]) && std::isnan(static_cast<float>(back[i])));
    } else {
      ASSERT_EQ(wide[i], want);
      ASSERT_EQ(back[i].bits, narrow[i].bits);
      // Halfway between two halves, and beyond the largest.
      const float odd = want * 1.00048828125f;
      half rounded[1];
      NarrowInto(&odd, rounded, 1);
      ASSERT_EQ(rounded[0].bits, half(odd).bits) << odd;
    }
  }
}

}  // namespace
}  // namespace weir::ops::vector_math_test

#include "ops/math/special_functions.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>

namespace weir::ops {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr int kMaxTerms = 20000;
constexpr double kTwoOverRootPi = 2 * std::numbers::inv_sqrtpi;

// Finds z with erfc(z) = q, 0 < q <= 1: a rational approximation, then Halley's method.
double ErfcInverse(double q) {
  const double t = std::sqrt(-2 * std::log(q / 2));
  double z = -0.70711 * ((2.30753 + t * 0.27061) / (1 + t * (0.99229 + t * 0.04481)) - t);
  for (int i = 0; i < 4; ++i) {
    const double error = std::erfc(z) - q;
    const double step = error / (kTwoOverRootPi * std::exp(-z * z) - z * error);
    z += step;
    if (std::abs(step) <= kEpsilon * std::abs(z)) break;
  }
  return z;
}

// A value and its derivative with respect to one variable.
struct Dual {
  double v;
  double d;
  Dual(double value, double derivative = 0) : v(value), d(derivative) {}
  friend Dual operator+(Dual a, Dual b) { return {a.v + b.v, a.d + b.d}; }
  friend Dual operator-(Dual a, Dual b) { return {a.v - b.v, a.d - b.d}; }
  friend Dual operator*(Dual a, Dual b) { return {a.v * b.v, a.d * b.v + a.v * b.d}; }
  friend Dual operator/(Dual a, Dual b) { return {a.v / b.v, (a.d - a.v / b.v * b.d) / b.v}; }
};
double Value(double x) { return x; }
double Value(Dual x) { return x.v; }
double Slope(double) { return 0; }
double Slope(Dual x) { return x.d; }

// x^a e^-x / gamma(a)
double GammaWeight(double a, double x) { return std::exp(a * std::log(x) - x - LogGamma(a)); }
Dual GammaWeight(Dual a, double x) {
  const double w = GammaWeight(a.v, x);
  return {w, w * (std::log(x) - Digamma(a.v)) * a.d};
}

// The lower function divided by the weight, by its power series. Suited if x is not much larger than a.
template <class S>
S LowerGammaOverWeight(S a, double x) {
  S term = S(1.0) / a;
  S sum = term;
  S n = a;
  for (int i = 0; i < kMaxTerms; ++i) {
    n = n + S(1.0);
    term = term * S(x) / n;
    sum = sum + term;
    // Negated, so that NaN ends the series, too.
    if (!(std::abs(Value(term)) > kEpsilon * std::abs(Value(sum))) &&
        !(std::abs(Slope(term)) > kEpsilon * std::abs(Slope(sum)))) {
      break;
    }
  }
  return sum;
}
template <class S>
S LowerGammaSeries(S a, double x) {
  return LowerGammaOverWeight(a, x) * GammaWeight(a, x);
}

// The upper function divided by the weight, by a continued fraction (modified Lentz). Suited if x > a + 1.
template <class S>
S UpperGammaOverWeight(S a, double x) {
  constexpr double kTiny = 1e-300;
  S b = S(x + 1) - a;
  S c = S(1 / kTiny);
  S d = S(1.0) / b;
  S h = d;
  for (int i = 1; i < kMaxTerms; ++i) {
    const S an = S(-static_cast<double>(i)) * (S(static_cast<double>(i)) - a);
    b = b + S(2.0);
    d = an * d + b;
    if (std::abs(Value(d)) < kTiny) d = S(kTiny);
    c = b + an / c;
    if (std::abs(Value(c)) < kTiny) c = S(kTiny);
    d = S(1.0) / d;
    const S factor = d * c;
    h = h * factor;
    if (!(std::abs(Value(factor) - 1) > kEpsilon) && !(std::abs(Slope(factor)) > kEpsilon * (1 + std::abs(Slope(h)))))
      break;
  }
  return h;
}
template <class S>
S UpperGammaFraction(S a, double x) {
  return UpperGammaOverWeight(a, x) * GammaWeight(a, x);
}

bool SeriesIsBetter(double a, double x) { return x < 1 || x < a + 1; }

// The continued fraction of the incomplete beta function (modified Lentz).
double BetaFraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  auto away_from_zero = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double h = d;
  for (int m = 1; m < kMaxTerms; ++m) {
    const double even = m * (b - m) * x / ((a - 1 + 2 * m) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    h *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 1 + 2 * m));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    const double factor = d * c;
    h *= factor;
    if (!(std::abs(factor - 1) > kEpsilon)) break;
  }
  return h;
}

}  // namespace

double LogGamma(double x) {
  int sign = 0;  // reentrant: std::lgamma writes a global
  return lgamma_r(x, &sign);
}

double Digamma(double x) {
  if (std::isnan(x) || x == -kInf) return kNan;
  if (x == kInf) return kInf;
  double result = 0;
  if (x <= 0) {
    if (x == std::floor(x)) return kNan;
    result = -std::numbers::pi / std::tan(std::numbers::pi * (x - std::nearbyint(x)));
    x = 1 - x;
  }
  for (; x < 10; x += 1) result -= 1 / x;
  const double z = 1 / (x * x);
  // Bernoulli numbers divided by 2k.
  const double tail =
      z *
      (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760 - z / 12))))));
  return result + std::log(x) - 0.5 / x - tail;
}

double ErfInverse(double x) {
  if (!(std::abs(x) <= 1)) return kNan;
  if (std::abs(x) == 1) return std::copysign(kInf, x);
  if (std::abs(x) > 0.5) return std::copysign(ErfcInverse(1 - std::abs(x)), x);
  double z = x / kTwoOverRootPi;
  for (int i = 0; i < 6; ++i) {
    const double error = std::erf(z) - x;
    const double step = error / (kTwoOverRootPi * std::exp(-z * z) + z * error);
    z -= step;
    if (std::abs(step) <= kEpsilon * std::abs(z)) break;
  }
  return z;
}

double NormalQuantile(double p) {
  if (!(p >= 0 && p <= 1)) return kNan;
  if (p == 0) return -kInf;
  if (p == 1) return kInf;
  if (p > 0.25 && p < 0.75) return std::numbers::sqrt2 * ErfInverse(2 * p - 1);
  return p < 0.5 ? -std::numbers::sqrt2 * ErfcInverse(2 * p) : std::numbers::sqrt2 * ErfcInverse(2 * (1 - p));
}

double HurwitzZeta(double x, double q) {
  if (std::isnan(x) || std::isnan(q)) return kNan;
  if (x == 1) return kInf;
  if (x < 1) return kNan;
  if (q <= 0) {
    if (q == std::floor(q)) return x == std::floor(x) && std::fmod(x, 2) == 0 ? kInf : kNan;
    if (x != std::floor(x)) return kNan;
  }
  // Sum terms up to w, then use the Euler-Maclaurin formula.
  double sum = 0;
  double w = q;
  for (int i = 0; i < 10 || w <= 9; ++i, w += 1) {
    const double term = std::pow(w, -x);
    sum += term;
    if (std::abs(term) < kEpsilon * std::abs(sum)) return sum;
    if (i > kMaxTerms) return sum;
  }
  sum += std::pow(w, 1 - x) / (x - 1) + 0.5 * std::pow(w, -x);
  // Bernoulli numbers divided by factorials: B(2k) / (2k)!
  constexpr double kCoefficients[] = {1.0 / 12,
                                      -1.0 / 720,
                                      1.0 / 30240,
                                      -1.0 / 1209600,
                                      1.0 / 47900160,
                                      -691.0 / 1307674368000.0,
                                      1.0 / 74724249600.0,
                                      -3617.0 / 10670622842880000.0,
                                      43867.0 / 5109094217170944000.0};
  double power = std::pow(w, -x - 1) * x;
  for (int k = 0; k < 9; ++k) {
    const double term = kCoefficients[k] * power;
    sum += term;
    if (std::abs(term) < kEpsilon * std::abs(sum)) break;
    power *= (x + 2 * k + 1) * (x + 2 * k + 2) / (w * w);
  }
  return sum;
}

double Polygamma(double n, double x) {
  if (!(n >= 0) || n != std::floor(n)) return kNan;
  if (n == 0) return Digamma(x);
  const double size = std::exp(LogGamma(n + 1)) * HurwitzZeta(n + 1, x);
  return std::fmod(n, 2) == 0 ? -size : size;
}

double Igamma(double a, double x) {
  if (x == 0) return a >= 0 ? 0 : kNan;
  if (!(x > 0) || !(a > 0)) return kNan;
  if (std::isinf(a)) return std::isinf(x) ? kNan : 0;
  if (std::isinf(x)) return 1;
  return SeriesIsBetter(a, x) ? LowerGammaSeries(a, x) : 1 - UpperGammaFraction(a, x);
}

double Igammac(double a, double x) {
  if (!(x >= 0) || !(a > 0)) return kNan;
  if (x == 0) return 1;
  if (std::isinf(a)) return std::isinf(x) ? kNan : 1;
  if (std::isinf(x)) return 0;
  return SeriesIsBetter(a, x) ? 1 - LowerGammaSeries(a, x) : UpperGammaFraction(a, x);
}

double IgammaDerivative(double a, double x) {
  if (x == 0) return a > 0 ? 0 : kNan;
  if (!(x > 0) || !(a > 0)) return kNan;
  if (std::isinf(a) || std::isinf(x)) return std::isinf(a) && std::isinf(x) ? kNan : 0;
  const Dual da(a, 1);
  return SeriesIsBetter(a, x) ? LowerGammaSeries(da, x).d : -UpperGammaFraction(da, x).d;
}

double GammaSampleDerivative(double a, double x) {
  if (x == 0) return a > 0 ? 0 : kNan;
  if (!(x > 0) || !(a > 0) || std::isinf(a) || std::isinf(x)) return kNan;
  // The density is the weight divided by x, so the weight cancels out and the tails stay accurate.
  const Dual da(a, 1);
  const double log_slope = std::log(x) - Digamma(a);
  const Dual part = SeriesIsBetter(a, x) ? LowerGammaOverWeight(da, x) : Dual(0) - UpperGammaOverWeight(da, x);
  return -x * (part.d + part.v * log_slope);
}

double Betainc(double a, double b, double x) {
  if (!(a > 0) || !(b > 0) || !(x >= 0 && x <= 1) || std::isinf(a) || std::isinf(b)) return kNan;
  if (x == 0 || x == 1) return x;
  const double log_weight = LogGamma(a + b) - LogGamma(a) - LogGamma(b) + a * std::log(x) + b * std::log1p(-x);
  if (x < (a + 1) / (a + b + 2)) return std::exp(log_weight) * BetaFraction(a, b, x) / a;
  return 1 - std::exp(log_weight) * BetaFraction(b, a, 1 - x) / b;
}

double ScaledBessel(int order, double x) {
  const double size = std::abs(x), sign = order % 2 != 0 && x < 0 ? -1 : 1;
  if (std::isnan(x)) return x;
  constexpr double kSeriesLimit = 25;
  if (size <= kSeriesLimit) {
    double term = order == 0 ? 1 : size / 2, sum = term;
    for (int k = 1; term > kEpsilon * sum; ++k) {
      term *= size * size / 4 / k / (k + order);
      sum += term;
    }
    return sign * std::exp(-size) * sum;
  }
  // The asymptotic series; its terms shrink until k is about 2 |x|.
  double term = 1, sum = 1;
  for (int k = 1; k < kSeriesLimit && std::abs(term) > kEpsilon; ++k) {
    const double odd = 2 * k - 1;
    term *= (odd * odd - 4.0 * order * order) / (8 * size * k);
    sum += term;
  }
  return sign * sum / std::sqrt(2 * std::numbers::pi * size);
}

}  // namespace weir::ops

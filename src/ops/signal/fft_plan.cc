#include "ops/signal/fft_plan.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace weir::ops {
namespace {

using FftComplex = FftPlan::Complex;

constexpr int64_t kLargestFactor = 32;

// std::complex's product handles infinities, which costs much more.
FftComplex MultiplyParts(FftComplex a, FftComplex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
FftComplex MultiplyByMinusI(FftComplex a) { return {a.imag(), -a.real()}; }

// The factors of n, 4 before 2; the last one is over kLargestFactor if n has such a prime factor.
std::vector<int64_t> FactorsOf(int64_t n) {
  std::vector<int64_t> factors;
  for (; n % 4 == 0; n /= 4) factors.push_back(4);
  for (int64_t f = 2; f <= kLargestFactor; ++f) {
    for (; n % f == 0; n /= f) factors.push_back(f);
  }
  if (n > 1) factors.push_back(n);
  return factors;
}

// e^(-2 pi i k / n)
FftComplex Root(int64_t k, int64_t n) {
  return std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
}

// One step of Stockham's algorithm, which splits transforms of n values into `radix` transforms of n / radix. Value k
// of transform q is x[q + stride * k]; roots[stride * k] is e^(-2 pi i k / n).
struct FftStep {
  int64_t n, stride;
  const FftComplex* roots;
  const FftComplex* x;
  FftComplex* y;

  void Radix2() const {
    const int64_t m = n / 2;
    for (int64_t j = 0; j < m; ++j) {
      const FftComplex w = roots[stride * j];
      for (int64_t q = 0; q < stride; ++q) {
        const FftComplex a = x[q + stride * j], b = x[q + stride * (j + m)];
        y[q + stride * (2 * j)] = a + b;
        y[q + stride * (2 * j + 1)] = MultiplyParts(a - b, w);
      }
    }
  }
  void Radix4() const {
    const int64_t m = n / 4;
    for (int64_t j = 0; j < m; ++j) {
      const FftComplex w1 = roots[stride * j], w2 = roots[stride * 2 * j], w3 = roots[stride * 3 * j];
      for (int64_t q = 0; q < stride; ++q) {
        const FftComplex a = x[q + stride * j], b = x[q + stride * (j + m)];
        const FftComplex c = x[q + stride * (j + 2 * m)], d = x[q + stride * (j + 3 * m)];
        const FftComplex ac = a + c, a_c = a - c, bd = b + d, b_d = MultiplyByMinusI(b - d);
        y[q + stride * (4 * j)] = ac + bd;
        y[q + stride * (4 * j + 1)] = MultiplyParts(a_c + b_d, w1);
        y[q + stride * (4 * j + 2)] = MultiplyParts(ac - bd, w2);
        y[q + stride * (4 * j + 3)] = MultiplyParts(a_c - b_d, w3);
      }
    }
  }
  void AnyRadix(int64_t radix) const {
    const int64_t m = n / radix;
    FftComplex in[kLargestFactor], turns[kLargestFactor];
    for (int64_t k = 0; k < radix; ++k) turns[k] = roots[stride * m * k];
    for (int64_t j = 0; j < m; ++j) {
      for (int64_t q = 0; q < stride; ++q) {
        for (int64_t k = 0; k < radix; ++k) in[k] = x[q + stride * (j + m * k)];
        for (int64_t r = 0; r < radix; ++r) {
          FftComplex sum = in[0];
          for (int64_t k = 1, turn = r; k < radix; ++k, turn = turn + r < radix ? turn + r : turn + r - radix)
            sum += MultiplyParts(in[k], turns[turn]);
          y[q + stride * (radix * j + r)] = MultiplyParts(sum, roots[stride * j * r]);
        }
      }
    }
  }
};

}  // namespace

FftPlan::FftPlan(int64_t length) : length_(length), factors_(FactorsOf(length)) {
  const auto n = static_cast<size_t>(length);
  if (factors_.empty() || factors_.back() <= kLargestFactor) {
    roots_.resize(n);
    for (size_t k = 0; k < n; ++k) roots_[k] = Root(static_cast<int64_t>(k), length);
    return;
  }
  int64_t size = 1;
  while (size < 2 * length - 1) size *= 2;
  convolution_ = std::make_unique<FftPlan>(size);
  chirp_.resize(n);
  // k^2 modulo 2 n, from the previous square: exact for any length.
  for (int64_t k = 0, square = 0; k < length; square = (square + 2 * k + 1) % (2 * length), ++k)
    chirp_[static_cast<size_t>(k)] = Root(square, 2 * length);
  chirp_transform_.assign(static_cast<size_t>(size), Complex());
  for (size_t k = 0; k < n; ++k) {
    chirp_transform_[k] = std::conj(chirp_[k]);
    if (k > 0) chirp_transform_[chirp_transform_.size() - k] = std::conj(chirp_[k]);
  }
  std::vector<Complex> scratch;
  convolution_->Forward(chirp_transform_.data(), scratch);
}

void FftPlan::Run(Complex* x, bool inverse, std::vector<Complex>& scratch) const {
  const auto swap_parts = [&] {
    for (int64_t i = 0; i < length_; ++i) x[i] = {x[i].imag(), x[i].real()};
  };
  if (inverse) swap_parts();
  Forward(x, scratch);
  if (inverse) swap_parts();
}

void FftPlan::Forward(Complex* x, std::vector<Complex>& scratch) const {
  if (convolution_ != nullptr) return RunBluestein(x, scratch);
  if (scratch.size() < static_cast<size_t>(length_)) scratch.resize(static_cast<size_t>(length_));
  RunFactors(x, scratch.data());
}

void FftPlan::RunFactors(Complex* x, Complex* other) const {
  Complex* const result = x;
  int64_t n = length_, stride = 1;
  for (const int64_t radix : factors_) {
    const FftStep step{n, stride, roots_.data(), x, other};
    if (radix == 2) {
      step.Radix2();
    } else if (radix == 4) {
      step.Radix4();
    } else {
      step.AnyRadix(radix);
    }
    n /= radix;
    stride *= radix;
    std::swap(x, other);
  }
  if (x != result) std::copy_n(x, length_, result);
}

void FftPlan::RunBluestein(Complex* x, std::vector<Complex>& scratch) const {
  const auto size = static_cast<size_t>(convolution_->length());
  if (scratch.size() < 2 * size) scratch.resize(2 * size);
  Complex* const a = scratch.data();
  Complex* const other = a + size;
  for (int64_t k = 0; k < length_; ++k) a[k] = MultiplyParts(x[k], chirp_[static_cast<size_t>(k)]);
  std::fill(a + length_, a + size, Complex());
  convolution_->RunFactors(a, other);
  // The inverse transform, by exchanging real and imaginary parts.
  for (size_t k = 0; k < size; ++k) {
    const Complex product = MultiplyParts(a[k], chirp_transform_[k]);
    a[k] = {product.imag(), product.real()};
  }
  convolution_->RunFactors(a, other);
  const double scale = 1 / static_cast<double>(size);
  for (int64_t k = 0; k < length_; ++k)
    x[k] = MultiplyParts(Complex(a[k].imag() * scale, a[k].real() * scale), chirp_[static_cast<size_t>(k)]);
}

std::shared_ptr<const FftPlan> FftPlans::Get(int64_t length) {
  std::lock_guard lock(mu_);
  auto it = std::find_if(plans_.begin(), plans_.end(), [&](const auto& plan) { return plan->length() == length; });
  if (it == plans_.end()) {
    if (plans_.size() == kMostPlans) plans_.erase(plans_.begin());
    plans_.push_back(std::make_shared<const FftPlan>(length));
  } else {
    std::rotate(it, it + 1, plans_.end());
  }
  return plans_.back();
}

}  // namespace weir::ops

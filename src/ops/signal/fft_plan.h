// FftPlan: the discrete Fourier transform of one length, in double precision. Lengths with large prime factors are
// computed as a convolution (Bluestein), so that every length takes O(n log n).
#ifndef WEIR_OPS_SIGNAL_FFT_PLAN_H_
#define WEIR_OPS_SIGNAL_FFT_PLAN_H_

#include <complex>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace weir::ops {

// Immutable, so that threads may share a plan.
class FftPlan final {
 public:
  using Complex = std::complex<double>;

  explicit FftPlan(int64_t length);

  int64_t length() const { return length_; }
  // Replaces x[length] by its transform. The inverse transform is not divided by the length. `scratch` is resized as
  // needed; reuse it from call to call.
  void Run(Complex* x, bool inverse, std::vector<Complex>& scratch) const;

 private:
  void Forward(Complex* x, std::vector<Complex>& scratch) const;
  void RunFactors(Complex* x, Complex* other) const;
  void RunBluestein(Complex* x, std::vector<Complex>& scratch) const;

  int64_t length_;
  std::vector<int64_t> factors_;
  std::vector<Complex> roots_;  // e^(-2 pi i k / length)
  // For Bluestein's algorithm: the chirp e^(-pi i k^2 / length), the transform of its inverse, and the plan for both.
  std::vector<Complex> chirp_, chirp_transform_;
  std::unique_ptr<FftPlan> convolution_;
};

// The plans of a node for the last few lengths. Thread-safe.
class FftPlans final {
 public:
  std::shared_ptr<const FftPlan> Get(int64_t length);

 private:
  static constexpr size_t kMostPlans = 8;
  std::mutex mu_;
  std::vector<std::shared_ptr<const FftPlan>> plans_;  // the most recently used last
};

}  // namespace weir::ops

#endif  // WEIR_OPS_SIGNAL_FFT_PLAN_H_

// Sum, Mean and EuclideanNorm. Floats are summed up in blocks, whose sums are added in double; integers wrap around.
#include <cmath>

#include "ops/math/reduction.h"
#include "ops/math/reduction_gradient.h"
#include "ops/math/vector_math.h"

namespace weir::ops {
namespace {

using C64 = std::complex<float>;
using C128 = std::complex<double>;
template <class T>
constexpr bool kIsComplex = std::is_same_v<T, C64> || std::is_same_v<T, C128>;

// The accumulator type for sums of T.
template <class T>
using SumAcc = std::conditional_t<kIsComplex<T>, C128, std::conditional_t<std::is_integral_v<T>, T, double>>;

template <class T>
struct SumOp {
  using Acc = SumAcc<T>;
  static Acc Init() { return Acc(0); }
  static Acc Take(Acc acc, T x) { return static_cast<Acc>(acc + static_cast<Acc>(x)); }
  static Acc Merge(Acc a, Acc b) { return static_cast<Acc>(a + b); }
  static T Finish(Acc acc, int64_t) { return static_cast<T>(acc); }
  static Acc Fold(const T* x, int64_t n) requires std::is_floating_point_v<T> { return SumOf(x, n); }
  static Acc TakeFour(Acc acc, T a, T b, T c, T d) requires std::is_floating_point_v<T> {
    return acc + static_cast<Acc>((a + b) + (c + d));
  }
};

template <class T>
struct MeanOp : SumOp<T> {
  using Acc = typename SumOp<T>::Acc;
  static T Finish(Acc acc, int64_t count) {
    if (kIsComplex<T> && count == 0) return T(0);
    return static_cast<T>(acc / static_cast<decltype(std::abs(acc))>(count));
  }
};
// Integers are summed up in 64 bits and divided toward zero.
template <class T>
struct IntegerMeanOp {
  using Acc = uint64_t;
  static Acc Init() { return 0; }
  static Acc Take(Acc acc, T x) { return acc + static_cast<Acc>(x); }
  static Acc Merge(Acc a, Acc b) { return a + b; }
  static T Finish(Acc acc, int64_t count) {
    if (count == 0) return 0;
    if constexpr (std::is_signed_v<T>) return static_cast<T>(static_cast<int64_t>(acc) / count);
    return static_cast<T>(acc / static_cast<uint64_t>(count));
  }
};

template <class T>
struct NormOp {
  using Acc = std::conditional_t<std::is_integral_v<T>, T, double>;
  static Acc Init() { return 0; }
  static Acc Take(Acc acc, T x) {
    if constexpr (kIsComplex<T>) {
      return acc + std::norm(static_cast<C128>(x));
    } else if constexpr (std::is_integral_v<T>) {
      const uint64_t wide = static_cast<uint64_t>(x);
      return static_cast<Acc>(static_cast<uint64_t>(acc) + wide * wide);
    } else {
      return acc + static_cast<double>(x) * static_cast<double>(x);
    }
  }
  static Acc Merge(Acc a, Acc b) {
    using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
    return static_cast<Acc>(static_cast<Wide>(a) + static_cast<Wide>(b));
  }
  static T Finish(Acc acc, int64_t) {
    const double root = std::sqrt(static_cast<double>(acc));
    if constexpr (std::is_integral_v<T>) return root >= 0 ? static_cast<T>(root) : T(0);
    return static_cast<T>(root);
  }
};

constexpr char kNumbers[] = "numbertype";

}  // namespace

void RegisterReduceSum(OpRegistry& registry) {
  AddReduction(registry, {.name = "Sum",
                          .types = kNumbers,
                          .reducers = Join(AlsoSigned(ReducersFor<SumOp, uint8_t, uint16_t, uint32_t, uint64_t>()),
                                           ReducersFor<SumOp, float, double, C64, C128>()),
                          .gradient = SumGradient});
  AddReduction(
      registry,
      {.name = "Mean",
       .types = kNumbers,
       .reducers =
           Join(ReducersFor<MeanOp, float, double, C64, C128>(),
                ReducersFor<IntegerMeanOp, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t>()),
       .gradient = MeanGradient});
  AddReduction(registry, {.name = "EuclideanNorm",
                          .types = kNumbers,
                          .reducers = ReducersFor<NormOp, float, double, C64, C128, int8_t, uint8_t, int16_t, uint16_t,
                                                  int32_t, uint32_t, int64_t, uint64_t>(),
                          .gradient = EuclideanNormGradient});
}

}  // namespace weir::ops

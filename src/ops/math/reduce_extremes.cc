// Prod, Max, Min, All and Any. Max and Min propagate NaN.
#include <limits>

#include "ops/math/reduction.h"
#include "ops/math/reduction_gradient.h"
#include "ops/math/vector_math.h"

namespace weir::ops {
namespace {

using C64 = std::complex<float>;
using C128 = std::complex<double>;

template <class T>
struct ProdOp {
  using Acc = T;
  static Acc Init() { return T(1); }
  static Acc Take(Acc acc, T x) {
    if constexpr (std::is_integral_v<T>) {
      using Wide = std::common_type_t<T, unsigned>;
      return static_cast<T>(static_cast<Wide>(acc) * static_cast<Wide>(x));
    } else if constexpr (std::is_floating_point_v<T>) {
      return acc * x;
    } else {
      return T(acc.real() * x.real() - acc.imag() * x.imag(), acc.real() * x.imag() + acc.imag() * x.real());
    }
  }
  static Acc Merge(Acc a, Acc b) { return Take(a, b); }
  static T Finish(Acc acc, int64_t) { return acc; }
};

template <class T, bool kMax>
struct ExtremeOp {
  using Acc = T;
  using Limits = std::numeric_limits<T>;
  static Acc Init() {
    if constexpr (Limits::has_infinity) return kMax ? -Limits::infinity() : Limits::infinity();
    return kMax ? Limits::lowest() : Limits::max();
  }
  static Acc Take(Acc acc, T x) {
    if constexpr (std::is_floating_point_v<T>) {
      const bool better = (kMax ? x > acc : x < acc) | (x != x);
      return better ? x : acc;
    } else {
      return (kMax ? acc < x : x < acc) ? x : acc;
    }
  }
  static Acc Merge(Acc a, Acc b) { return Take(a, b); }
  static T Finish(Acc acc, int64_t) { return acc; }
  static Acc Fold(const T* x, int64_t n) requires std::is_floating_point_v<T> {
    return kMax ? MaxOf(x, n) : MinOf(x, n);
  }
};
template <class T>
using MaxOp = ExtremeOp<T, true>;
template <class T>
using MinOp = ExtremeOp<T, false>;

template <class T>
struct AllOp {
  using Acc = bool;
  static Acc Init() { return true; }
  static Acc Take(Acc acc, T x) { return acc & x; }
  static Acc Merge(Acc a, Acc b) { return a & b; }
  static T Finish(Acc acc, int64_t) { return acc; }
};
template <class T>
struct AnyOp {
  using Acc = bool;
  static Acc Init() { return false; }
  static Acc Take(Acc acc, T x) { return acc | x; }
  static Acc Merge(Acc a, Acc b) { return a | b; }
  static T Finish(Acc acc, int64_t) { return acc; }
};

template <template <class> class Op>
Reducers Ordered() {
  return ReducersFor<Op, float, double, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t>();
}

}  // namespace

void RegisterReduceExtremes(OpRegistry& registry) {
  AddReduction(registry, {.name = "Prod",
                          .types = "numbertype",
                          .reducers = Join(AlsoSigned(ReducersFor<ProdOp, uint8_t, uint16_t, uint32_t, uint64_t>()),
                                           ReducersFor<ProdOp, float, double, C64, C128>()),
                          .gradient = ProdGradient});
  const std::string ordered = "realnumbertype, quantizedtype";
  AddReduction(registry, {.name = "Max", .types = ordered, .reducers = Ordered<MaxOp>(), .gradient = ExtremumGradient});
  AddReduction(registry, {.name = "Min", .types = ordered, .reducers = Ordered<MinOp>(), .gradient = ExtremumGradient});
  AddReduction(registry,
               {.name = "All", .types = "", .reducers = ReducersFor<AllOp, bool>(), .no_gradient = kNoGradient});
  AddReduction(registry,
               {.name = "Any", .types = "", .reducers = ReducersFor<AnyOp, bool>(), .no_gradient = kNoGradient});
}

}  // namespace weir::ops

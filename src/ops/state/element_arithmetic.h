// Arithmetic on tensor elements for the ops that update variables: dispatch by dtype, and the operations themselves
// (16-bit floats are computed in float).
#pragma once

#include <algorithm>
#include <type_traits>

#include "op/kernel.h"

namespace weir::ops {

enum class Combine { kUpdate, kAdd, kSub, kMul, kDiv, kMin, kMax };

template <class T>
constexpr bool kIs16BitFloat = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;

// Integer overflow wraps. REQUIRES: no integer division by zero.
template <Combine op, class T>
inline T CombineElements(T a, T b) {
  if constexpr (op == Combine::kUpdate) {
    return b;
  } else if constexpr (kIs16BitFloat<T>) {
    return T(CombineElements<op, float>(static_cast<float>(a), static_cast<float>(b)));
  } else if constexpr (std::is_integral_v<T> && op <= Combine::kMul) {
    using U = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;
    const U x = static_cast<U>(a), y = static_cast<U>(b);
    if constexpr (op == Combine::kAdd) return static_cast<T>(x + y);
    if constexpr (op == Combine::kSub) return static_cast<T>(x - y);
    if constexpr (op == Combine::kMul) return static_cast<T>(x * y);
  } else if constexpr (op == Combine::kAdd) {
    return a + b;
  } else if constexpr (op == Combine::kSub) {
    return a - b;
  } else if constexpr (op == Combine::kMul) {
    return a * b;
  } else if constexpr (op == Combine::kDiv) {
    if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
      if (b == T(-1)) return CombineElements<Combine::kSub, T>(T(0), a);  // smallest integer / -1 overflows
    }
    return static_cast<T>(a / b);
  } else if constexpr (op == Combine::kMin) {
    return b < a ? b : a;
  } else {
    return a < b ? b : a;
  }
}

#ifdef WEIR_FEW_TYPES
inline constexpr TypeList<float, int32_t, int64_t, double, half, bfloat16> kCompiledReals;
inline constexpr auto kCompiledNumbers = kCompiledReals;
#else
inline constexpr auto kCompiledReals = kFloatingTypes + kIntegerTypes;
inline constexpr auto kCompiledNumbers = kCompiledReals + kComplexTypes;
#endif

// Calls f(TypeTag<T>) with the C++ type of a real dtype. Returns false for other dtypes.
template <class F>
bool WithRealType(DType dtype, F&& f) {
  return ForType(dtype, kCompiledReals, std::forward<F>(f));
}
template <class F>
bool WithNumberType(DType dtype, F&& f) {
  return ForType(dtype, kCompiledNumbers, std::forward<F>(f));
}

// The dtypes that WithRealType and WithNumberType support, for kernel lists.
std::vector<DType> RealTypes();
std::vector<DType> NumberTypes();

}  // namespace weir::ops

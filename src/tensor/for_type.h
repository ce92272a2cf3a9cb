// ForType: from a DType to the C++ type of its elements. Lists of types say for which types code is instantiated.
#ifndef WEIR_TENSOR_FOR_TYPE_H_
#define WEIR_TENSOR_FOR_TYPE_H_

#include <complex>
#include <cstdint>

#include "tensor/dtype.h"

namespace weir {

template <class T>
struct TypeTag {
  using type = T;
};

template <class... Ts>
struct TypeList {};
template <class... As, class... Bs>
constexpr TypeList<As..., Bs...> operator+(TypeList<As...>, TypeList<Bs...>) {
  return {};
}

inline constexpr TypeList<half, bfloat16, float, double> kFloatingTypes;
inline constexpr TypeList<std::complex<float>, std::complex<double>> kComplexTypes;
inline constexpr TypeList<int8_t, int16_t, int32_t, int64_t> kSignedTypes;
inline constexpr TypeList<uint8_t, uint16_t, uint32_t, uint64_t> kUnsignedTypes;
inline constexpr auto kIntegerTypes = kSignedTypes + kUnsignedTypes;

// Calls f(TypeTag<T>{}) with the type T of the list whose dtype is `dtype`. Returns false if there is none.
template <class... Ts, class F>
bool ForType(DType dtype, TypeList<Ts...>, F&& f) {
  return ((dtype == DTypeOf<Ts>() && (f(TypeTag<Ts>{}), true)) || ...);
}

// The unsigned type of the same size for a signed integer type, else the type itself. For arithmetic that wraps around
// identically for both.
constexpr DType WithoutSign(DType dtype) {
  switch (dtype) {
    case kInt8:
      return kUint8;
    case kInt16:
      return kUint16;
    case kInt32:
      return kUint32;
    case kInt64:
      return kUint64;
    default:
      return dtype;
  }
}

}  // namespace weir

#endif  // WEIR_TENSOR_FOR_TYPE_H_

// DType: element types, numbered like TensorFlow's DataType. A reference type (the output type of a variable op) is its
// base type plus 100. DTypeOf<float>() is the DType of a C++ type.
#ifndef WEIR_TENSOR_DTYPE_H_
#define WEIR_TENSOR_DTYPE_H_

#include <complex>
#include <cstdint>
#include <string>
#include <string_view>

#include "weir/base/status.h"
#include "weir/tensor/half.h"

namespace weir {

enum DType : int {
  kInvalidType = 0,
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kQint8 = 11,
  kQuint8 = 12,
  kQint32 = 13,
  kBFloat16 = 14,
  kQint16 = 15,
  kQuint16 = 16,
  kUint16 = 17,
  kComplex128 = 18,
  kHalf = 19,
  kResource = 20,
  kVariant = 21,
  kUint32 = 22,
  kUint64 = 23,
};

constexpr int kRefOffset = 100;
constexpr bool IsRef(DType t) { return t > kRefOffset; }
constexpr DType BaseType(DType t) { return IsRef(t) ? static_cast<DType>(t - kRefOffset) : t; }
constexpr DType RefType(DType t) { return IsRef(t) ? t : static_cast<DType>(t + kRefOffset); }

// An element of a kResource tensor: names a resource.
struct ResourceHandle {
  std::string device;
  std::string container;
  std::string name;
  uint64_t type_hash = 0;
  std::string type_name;
  bool operator==(const ResourceHandle&) const = default;
};

// Size of an element in memory; 0 for an invalid type. Strings and handles are C++ objects.
size_t ElementSize(DType t);
bool IsFloating(DType t);  // half, bfloat16, float, double
bool IsInteger(DType t);   // signed or unsigned, not bool, not quantized
bool IsUnsigned(DType t);
bool IsComplex(DType t);
bool IsQuantized(DType t);
inline bool IsNumeric(DType t) { return IsFloating(t) || IsInteger(t) || IsComplex(t); }
// True if elements are plain bytes that may be copied with memcpy and read from a file.
bool IsPlain(DType t);

// TensorFlow's Python spelling: "float32", "int32", "float32_ref", ...
std::string DTypeName(DType t);
// The enum spelling of OpDefs: "float", "int32", "half", ... (as in "T: {float, double}")
std::string OpDefTypeName(DType t);
// The spelling of the proto enum: "DT_FLOAT", ...
std::string ProtoTypeName(DType t);
// Accepts every spelling above and numpy's ("float", "float32", "DT_FLOAT", "half", "float16", ...); error otherwise.
Result<DType> ParseDType(std::string_view name);
// Checks a number from a file or the wire.
Result<DType> DTypeFromNumber(int number);

template <class T>
constexpr DType DTypeOf() {
  if constexpr (std::is_same_v<T, float>)
    return kFloat;
  else if constexpr (std::is_same_v<T, double>)
    return kDouble;
  else if constexpr (std::is_same_v<T, int32_t>)
    return kInt32;
  else if constexpr (std::is_same_v<T, uint8_t>)
    return kUint8;
  else if constexpr (std::is_same_v<T, int16_t>)
    return kInt16;
  else if constexpr (std::is_same_v<T, int8_t>)
    return kInt8;
  else if constexpr (std::is_same_v<T, std::string>)
    return kString;
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return kComplex64;
  else if constexpr (std::is_same_v<T, int64_t>)
    return kInt64;
  else if constexpr (std::is_same_v<T, long long>)
    return kInt64;
  else if constexpr (std::is_same_v<T, bool>)
    return kBool;
  else if constexpr (std::is_same_v<T, bfloat16>)
    return kBFloat16;
  else if constexpr (std::is_same_v<T, uint16_t>)
    return kUint16;
  else if constexpr (std::is_same_v<T, std::complex<double>>)
    return kComplex128;
  else if constexpr (std::is_same_v<T, half>)
    return kHalf;
  else if constexpr (std::is_same_v<T, ResourceHandle>)
    return kResource;
  else if constexpr (std::is_same_v<T, uint32_t>)
    return kUint32;
  else if constexpr (std::is_same_v<T, uint64_t>)
    return kUint64;
  else
    return kInvalidType;
}

}  // namespace weir

#endif  // WEIR_TENSOR_DTYPE_H_

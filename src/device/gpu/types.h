// The names of element types in device sources (device/cuda/prelude.cu).
#pragma once

#include <string>
#include <string_view>

#include "tensor/dtype.h"

namespace weir::gpu {

// "Half" for kHalf. "" for types that are not plain. Quantized types are their integers.
std::string_view TypeText(DType type);
// The type that kernels compute in: float for half and bfloat16.
DType WideType(DType type);
// The unsigned type with that many bytes, for kernels that only move elements: "Bits32" for 4.
std::string_view BitsText(size_t bytes);

}  // namespace weir::gpu

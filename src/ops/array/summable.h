// Dispatch by dtype for addition. Signed and unsigned integers of equal size share a C++ type.
#pragma once

#include <complex>

#include "op/kernel.h"

namespace weir::ops {

// Calls f(TypeTag<T>{}), where adding two T gives the bits of adding two elements of `dtype`. Returns false if elements
// of `dtype` cannot be added.
template <class F>
bool ForSummableType(DType dtype, F&& f) {
  switch (BaseType(dtype)) {
    case kFloat:
      f(TypeTag<float>{});
      return true;
    case kDouble:
      f(TypeTag<double>{});
      return true;
    case kHalf:
      f(TypeTag<half>{});
      return true;
    case kBFloat16:
      f(TypeTag<bfloat16>{});
      return true;
    case kComplex64:
      f(TypeTag<std::complex<float>>{});
      return true;
    case kComplex128:
      f(TypeTag<std::complex<double>>{});
      return true;
    case kInt8:
    case kUint8:
      f(TypeTag<uint8_t>{});
      return true;
    case kInt16:
    case kUint16:
      f(TypeTag<uint16_t>{});
      return true;
    case kInt32:
    case kUint32:
      f(TypeTag<uint32_t>{});
      return true;
    case kInt64:
    case kUint64:
      f(TypeTag<uint64_t>{});
      return true;
    case kBool:
      f(TypeTag<bool>{});
      return true;
    default:
      return false;
  }
}

}  // namespace weir::ops

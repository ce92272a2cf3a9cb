// Dispatch by dtype for addition. Signed and unsigned integers of equal size share a C++ type.
#pragma once

#include <utility>

#include "tensor/for_type.h"

namespace weir::ops {

// Calls f(TypeTag<T>{}), where adding two T gives the bits of adding two elements of `dtype`. Returns false if elements
// of `dtype` cannot be added.
template <class F>
bool ForSummableType(DType dtype, F&& f) {
  return ForType(WithoutSign(BaseType(dtype)), kFloatingTypes + kComplexTypes + kUnsignedTypes + TypeList<bool>(),
                 std::forward<F>(f));
}

}  // namespace weir::ops

// Integer division, which can fail for some values.
#pragma once

#include "ops/math/elementwise.h"

namespace weir::ops {

// x / y rounded toward zero, for all integer types. A zero divisor is a fault; the smallest number over -1 wraps
// around.
BinaryLoops IntegerQuotients();

}  // namespace weir::ops

// Division of integers, which can fail on values.
#pragma once

#include "ops/math/elementwise.h"

namespace weir::ops {

// x / y toward zero for all integer types; a zero divisor is a fault, and the smallest number over -1 wraps around.
BinaryLoops IntegerQuotients();

}  // namespace weir::ops

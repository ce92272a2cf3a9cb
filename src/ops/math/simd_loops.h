// Vectorized binary loops for the most used types. The instruction set is selected at run time.
#pragma once

#include "ops/math/elementwise.h"

namespace weir::ops {

enum class SimdOp { kAdd, kSub, kMul, kDiv, kMax, kMin, kSquaredDifference };

// Available loops: float and double for every op, int32 and int64 for those with hardware support.
BinaryLoops SimdLoops(SimdOp op);

}  // namespace weir::ops

// Binary loops for the hot types in the widest vectors of the machine, picked at run time.
#pragma once

#include "ops/math/elementwise.h"

namespace weir::ops {

enum class SimdOp { kAdd, kSub, kMul, kDiv, kMax, kMin, kSquaredDifference };

// The loops there are: float and double for every op, int32 and int64 for those that have them in hardware.
BinaryLoops SimdLoops(SimdOp op);

}  // namespace weir::ops

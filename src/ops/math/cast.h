// Conversion between element types, as in the Cast op. Kernels also use it to widen half and bfloat16.
#pragma once

#include "ops/math/elementwise.h"

namespace weir::ops {

// Converts n elements. x and y must not overlap unless both types have the same size. Returns null if there is no such
// cast (strings, resources) or it takes two steps (between complex numbers and most others).
UnaryLoop CastLoop(DType from, DType to);

}  // namespace weir::ops

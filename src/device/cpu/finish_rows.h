// What is still done to results, row by row, while the cache of the thread that computed them has them: (first element,
// number of rows, distance between them, first column, number of columns). Each element is given once.
#pragma once

#include <cstdint>

#include "base/function_ref.h"

namespace weir {

using FinishRows = FunctionRef<void(float* rows, int64_t count, int64_t stride, int64_t column, int64_t columns)>;

}  // namespace weir

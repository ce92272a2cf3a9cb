// Callback that post-processes rows of results (bias, activation) on the thread that computed them, while they are in
// its cache. Called with each element exactly once. `stride` is the distance between rows in elements; `column` is the
// column of rows[0] in the result.
#pragma once

#include <cstdint>

#include "base/function_ref.h"

namespace weir {

using RowEpilogue = FunctionRef<void(float* rows, int64_t count, int64_t stride, int64_t column, int64_t columns)>;

}  // namespace weir

// The ops of this folder, one line per file.
#include "ops/register.h"

namespace weir::ops {

void RegisterMathOps(OpRegistry& registry) {
}

}  // namespace weir::ops

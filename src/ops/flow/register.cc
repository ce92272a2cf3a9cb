// The ops of this folder, one line per file.
#include "ops/register.h"

namespace weir::ops {

void RegisterFlowOps(OpRegistry& registry) {
}

}  // namespace weir::ops

// Registration of the ops on ragged tensors, some of which convert between strings and code points.
#pragma once

#include "op/op_registry.h"

namespace weir::ops {

void RegisterRaggedOps(OpRegistry& registry);

}  // namespace weir::ops

#pragma once

#include "op/shape_context.h"

namespace weir::ops {

// Output 0: `count` inputs from `first` on, concatenated along the dimension in input `axis_input`.
Status ConcatShapes(ShapeContext& ctx, int first, int count, int axis_input);

}  // namespace weir::ops

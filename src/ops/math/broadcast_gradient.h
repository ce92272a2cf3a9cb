// What every gradient of a broadcasting op ends with: summing over what was broadcast.
#pragma once

#include "op/gradient_context.h"

namespace weir::ops {

// The gradients of inputs 0 and 1 out of gx and gy, which have the shape of the output: summed over the dimensions
// along which that input was broadcast. Adds no node where the static shapes show that there are none.
Gradients Unbroadcast(GradientContext& g, Output gx, Output gy);
Gradients Unbroadcast(Output x, Output gx, Output y, Output gy);

// gx, which has the shape of `z`, summed over the dimensions along which x was broadcast to z.
Output UnbroadcastTo(Output x, Output gx, Output z);

// conj(x) for complex types, x itself for others.
Output ConjOf(Output x);

}  // namespace weir::ops

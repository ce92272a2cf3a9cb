// The last step of the gradients of broadcasting ops: summing over the broadcast dimensions.
#pragma once

#include "op/gradient_context.h"

namespace weir::ops {

// Returns the gradients of inputs 0 and 1. gx and gy have the shape of the output and are summed over the dimensions
// along which the respective input was broadcast. Adds no nodes if static shapes show that there are none.
Gradients Unbroadcast(GradientContext& g, Output gx, Output gy);
Gradients Unbroadcast(Output x, Output gx, Output y, Output gy);

// gx, which has the shape of z, summed over the dimensions along which x was broadcast to z.
Output UnbroadcastTo(Output x, Output gx, Output z);

// conj(x) for complex types, else x.
Output ConjOf(Output x);

}  // namespace weir::ops

// Gradients of reductions. All first restore the reduced axes, with size 1.
#pragma once

#include "op/gradient_context.h"

namespace weir::ops {

// Restores the reduced axes of `value`, which is an output of the reduction or a gradient of one.
Output WithReducedAxes(GradientContext& g, Output value);

Result<Gradients> SumGradient(GradientContext& g);
Result<Gradients> MeanGradient(GradientContext& g);
Result<Gradients> ProdGradient(GradientContext& g);
// Max and Min: equal elements share the gradient equally.
Result<Gradients> ExtremumGradient(GradientContext& g);
Result<Gradients> EuclideanNormGradient(GradientContext& g);

}  // namespace weir::ops

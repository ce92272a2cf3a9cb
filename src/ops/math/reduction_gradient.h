// Gradients of reductions. All start by giving the reduced axes back, with size 1.
#pragma once

#include "op/gradient_context.h"

namespace weir::ops {

// `value` (an output of the reduction, or what flows into one) with the reduced axes back in place.
Output WithReducedAxes(GradientContext& g, Output value);

Result<Gradients> SumGradient(GradientContext& g);
Result<Gradients> MeanGradient(GradientContext& g);
Result<Gradients> ProdGradient(GradientContext& g);
// Max and Min: elements that tie share equally.
Result<Gradients> ExtremumGradient(GradientContext& g);
Result<Gradients> EuclideanNormGradient(GradientContext& g);

}  // namespace weir::ops

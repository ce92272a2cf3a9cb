// The gradient of Einsum, built from Einsums in which the incoming gradient replaces an input and that input is the
// output.
#ifndef WEIR_OPS_MATH_EINSUM_GRADIENT_H_
#define WEIR_OPS_MATH_EINSUM_GRADIENT_H_

#include "op/gradient_context.h"

namespace weir::ops {

Result<Gradients> EinsumGradient(GradientContext& g);

}  // namespace weir::ops

#endif  // WEIR_OPS_MATH_EINSUM_GRADIENT_H_

// The gradient of Einsum, made of Einsums: what flows in takes the place of the output, and an input that of the
// result.
#ifndef WEIR_OPS_MATH_EINSUM_GRADIENT_H_
#define WEIR_OPS_MATH_EINSUM_GRADIENT_H_

#include "op/gradient_context.h"

namespace weir::ops {

Result<Gradients> EinsumGradient(GradientContext& g);

}  // namespace weir::ops

#endif  // WEIR_OPS_MATH_EINSUM_GRADIENT_H_

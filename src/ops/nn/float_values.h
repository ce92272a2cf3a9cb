// Values of half or float tensors as floats, for kernels that compute in float.
#ifndef WEIR_OPS_NN_FLOAT_VALUES_H_
#define WEIR_OPS_NN_FLOAT_VALUES_H_

#include "op/kernel.h"

namespace weir::ops {

// The tensor itself if it holds floats, else a converted copy. REQUIRES: the type is half or float.
Result<Tensor> AsFloats(const Tensor& values);
// Sets the output from a tensor of floats, converted to the type of the output.
Status SetFromFloats(KernelContext& ctx, int output, const Tensor& floats);
// A tensor of zeros.
Result<Tensor> ZeroFloats(std::initializer_list<int64_t> dims);

}  // namespace weir::ops

#endif  // WEIR_OPS_NN_FLOAT_VALUES_H_

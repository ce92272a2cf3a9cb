// GPU kernels of elementwise ops. device/gpu/element_ops.cc has their source expressions, by the name of the op.
#pragma once

#include "op/gpu_kernel.h"

namespace weir::ops {

// Inputs broadcast to the shape of the result. The condition of Select may also be a vector with an element per row.
GpuKernel GpuElementwise(const char* attrs = "T");
// Inputs have the same shape.
GpuKernel GpuSameShape();
// Inputs have the same number of elements; the result has the shape of input 0.
GpuKernel GpuFlat();
GpuKernel GpuCast();

}  // namespace weir::ops

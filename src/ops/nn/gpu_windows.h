// Convolutions and pools on a GPU: the sizes of the CPU's kernels for the launchers of device/gpu/windows.h.
#pragma once

#include "device/cpu/convolution.h"
#include "device/gpu/windows.h"
#include "device/gpu_device.h"
#include "ops/nn/pooling.h"

namespace weir::ops {

// Computes `to` from a and b, the arguments of the pass (see ConvPass). All tensors are in the memory of the GPU.
// Images with channels first are transposed to channels last; groups are computed one after the other. REQUIRES: two
// dimensions, equal types.
Status ConvolveOnGpu(GpuDevice& gpu, GpuStream& stream, ConvPass pass, const ConvSizes& sizes, const Tensor& a,
                     const Tensor& b, const Tensor& to);

// The window of a pool over at most two dimensions. nullopt for pools over three.
std::optional<gpu::Window> GpuWindowOf(const PoolSizes& sizes);

}  // namespace weir::ops

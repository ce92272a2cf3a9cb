// Kernels of a fake GPU: the CPU's kernel of a node, run on the stream's thread, on device memory. The shapes of
// the outputs come from the op's shape function, because they are needed before the kernel runs.
#pragma once

#include "device/gpu_device.h"

namespace weir {

// REQUIRES: the stream of `gpu` is a FakeGpuStream.
Result<Kernel> MakeHostKernel(KernelSetup& setup, GpuDevice& gpu);

}  // namespace weir

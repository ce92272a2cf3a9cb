// The GPUs of this machine.
#pragma once

#include <memory>
#include <vector>

#include "base/env.h"
#include "device/gpu_stream.h"

namespace weir {

// Loads the driver if there is one and lists its devices. Empty on machines without a GPU, or if the driver or a
// library is missing or does not start; the reason is logged once per process. Creates no CUDA context.
std::vector<GpuInfo> CudaDevices(Env& env);

// Opens a device of CudaDevices. Each call creates a separate stream. NotFound if there is no such device.
Result<std::unique_ptr<GpuStream>> OpenCudaStream(int ordinal, Env& env);

}  // namespace weir

// The CPU device. A process may have several (device_count): they share cores and memory.
#pragma once

#include <memory>
#include <string>

#include "device/device.h"

namespace weir {

// `incarnation` must differ after each restart, so that peers can detect the restart.
std::unique_ptr<Device> MakeCpuDevice(std::string name, uint64_t incarnation);

}  // namespace weir

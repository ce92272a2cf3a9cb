// The host's processor as a device. Several may stand side by side (device_count): they share cores and memory.
#pragma once

#include <memory>
#include <string>

#include "device/device.h"

namespace weir {

// `incarnation` differs for every life of a device, so that peers notice a restart.
std::unique_ptr<Device> MakeCpuDevice(std::string name, uint64_t incarnation);

}  // namespace weir

// A device under another name, for sessions whose cluster has another job or index for its task. It shares memory and
// incarnation with the original.
#pragma once

#include <memory>
#include <string>

#include "device/device.h"

namespace weir {

// A view of `device` as a device of `task` ("/job:worker/replica:0/task:1"). REQUIRES: `device` outlives the result.
std::unique_ptr<Device> RenameDevice(Device& device, const std::string& task);
// Replaces the task in a device name such as "/job:ps/replica:0/task:0/device:CPU:0". Returns other strings unchanged.
std::string RenameDeviceTask(const std::string& task, const std::string& device);

}  // namespace weir

// A device under another name, for sessions that call its task otherwise than it was started. It is the same device:
// one memory, one incarnation.
#pragma once

#include <memory>
#include <string>

#include "device/device.h"

namespace weir {

// `device`, which outlives the result, as a device of that task ("/job:worker/replica:0/task:1").
std::unique_ptr<Device> RenameDevice(Device& device, const std::string& task);
// "/job:ps/replica:0/task:0/device:CPU:0" as a name of that task; what is no name of a device stays as it is.
std::string RenamedTo(const std::string& task, const std::string& device);

}  // namespace weir

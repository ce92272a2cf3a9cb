// The devices of this process, as a session's or a server's configuration asks for them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/rng.h"
#include "device/device.h"
#include "proto/config.pb.h"

namespace weir {

// Named below `task` ("/job:localhost/replica:0/task:0"), each with an incarnation of its own.
std::vector<std::unique_ptr<Device>> MakeLocalDevices(const tensorflow::ConfigProto& config, const std::string& task,
                                                      Rng& rng);

}  // namespace weir

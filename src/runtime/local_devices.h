// Creates the devices of this process according to the configuration of a session or server.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/env.h"
#include "base/rng.h"
#include "device/device.h"
#include "proto/config.pb.h"

namespace weir {

// The names of the devices start with `task` ("/job:localhost/replica:0/task:0"). Each has its own incarnation. CPUs
// come first, then GPUs (device/gpus.h), which need `env` to compile their programs; null: no GPUs.
std::vector<std::unique_ptr<Device>> MakeLocalDevices(const tensorflow::ConfigProto& config, const std::string& task,
                                                      Rng& rng, Env* env = nullptr);

}  // namespace weir

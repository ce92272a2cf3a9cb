// The GPUs of this machine, as far as a session or server may use them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/env.h"
#include "base/rng.h"
#include "device/device.h"
#include "proto/config.pb.h"

namespace weir {

// One device per GPU that the configuration makes visible, named "TASK/device:GPU:0" and so on. On a machine without
// GPUs it costs next to nothing. With WEIR_FAKE_GPUS=2 in the environment there are two fake GPUs, for tests; 0, or no
// such variable, means the real ones. A wrong setting is logged as an error, and then there are no GPUs.
std::vector<std::unique_ptr<Device>> MakeGpuDevices(const tensorflow::ConfigProto& config, const std::string& task,
                                                    Rng& rng, Env& env);

}  // namespace weir

#include "runtime/local_devices.h"

#include <fmt/format.h>

#include <algorithm>

#include "device/cpu/cpu_device.h"
#include "device/gpus.h"

namespace weir {

std::vector<std::unique_ptr<Device>> MakeLocalDevices(const tensorflow::ConfigProto& config, const std::string& task,
                                                      Rng& rng, Env* env) {
  constexpr int kMaxCpuDevices = 1024;
  int count = 1;
  if (auto it = config.device_count().find("CPU"); it != config.device_count().end())
    count = std::clamp(it->second, 1, kMaxCpuDevices);
  std::vector<std::unique_ptr<Device>> devices;
  for (int i = 0; i < count; ++i)
    devices.push_back(MakeCpuDevice(fmt::format("{}/device:CPU:{}", task, i), rng.Next64()));
  if (env == nullptr) return devices;
  for (std::unique_ptr<Device>& gpu : MakeGpuDevices(config, task, rng, *env)) devices.push_back(std::move(gpu));
  return devices;
}

}  // namespace weir

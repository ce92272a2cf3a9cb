#include "device/gpus.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/environment.h"
#include "base/log.h"
#include "device/cuda/cuda_devices.h"
#include "device/fake_gpu/fake_gpu_stream.h"
#include "device/fake_gpu/host_kernel.h"
#include "device/gpu_device.h"

namespace weir {
namespace {

constexpr uint64_t kFakeMemory = uint64_t{256} << 20;
constexpr uint64_t kMegabyte = uint64_t{1} << 20;
// The default fraction of a GPU's memory that a session may use, about TensorFlow's default.
constexpr double kUsualFraction = 0.9;

struct Gpu {
  GpuInfo info;
  bool fake = false;
};

std::vector<Gpu> FindGpus(Env& env) {
  std::vector<Gpu> gpus;
  const int64_t fakes = ReadEnvironmentOr({"WEIR_FAKE_GPUS", "GPUs", 0, 64}, 0);
  for (int64_t i = 0; i < fakes; ++i) {
    gpus.push_back({GpuInfo{.ordinal = static_cast<int>(i), .name = "fake GPU", .memory_bytes = kFakeMemory}, true});
  }
  if (!gpus.empty()) return gpus;
  // Off by default: no run of the op cases on a GPU is recorded yet (docs/gpu.md).
  const int64_t most = ReadEnvironmentOr({"WEIR_GPUS", "GPUs", 0, 64}, 0);
  if (most == 0) return gpus;
  for (const GpuInfo& info : CudaDevices(env)) {
    if (static_cast<int64_t>(gpus.size()) < most) gpus.push_back({info, false});
  }
  return gpus;
}

// "1,0": the GPUs to use, in this order; empty: all.
Result<std::vector<Gpu>> Visible(const std::string& list, std::vector<Gpu> gpus) {
  if (list.empty()) return gpus;
  std::vector<Gpu> visible;
  for (const std::string& text : std::vector<std::string>(absl::StrSplit(list, ','))) {
    int64_t number = 0;
    if (!absl::SimpleAtoi(text, &number))
      return InvalidArgument("Could not parse entry in 'visible_device_list': '{}'. visible_device_list = {}", text,
                             list);
    if (number < 0 || number >= static_cast<int64_t>(gpus.size()))
      return InvalidArgument("'visible_device_list' listed an invalid GPU id '{}' but visible device count is {}",
                             number, gpus.size());
    const auto is_same = [&](const Gpu& gpu) { return gpu.info.ordinal == gpus[number].info.ordinal; };
    if (std::any_of(visible.begin(), visible.end(), is_same))
      return InvalidArgument("visible_device_list contained a duplicate entry: {}", list);
    visible.push_back(gpus[number]);
  }
  return visible;
}

// A GPU or, with virtual_devices, a part of its memory.
struct Part {
  Gpu gpu;
  uint64_t memory = 0;
};

Result<std::vector<Part>> PartsOf(const std::vector<Gpu>& gpus, const tensorflow::GPUOptions& options) {
  const auto& lists = options.experimental().virtual_devices();
  if (!lists.empty() && lists.size() != static_cast<int>(gpus.size())) {
    return InvalidArgument("virtual_devices describes {} GPUs, but {} are visible", lists.size(), gpus.size());
  }
  if (!lists.empty() && options.per_process_gpu_memory_fraction() > 0)
    return InvalidArgument("virtual_devices and per_process_gpu_memory_fraction cannot be combined");
  const double fraction =
      options.per_process_gpu_memory_fraction() > 0 ? options.per_process_gpu_memory_fraction() : kUsualFraction;
  std::vector<Part> parts;
  for (size_t i = 0; i < gpus.size(); ++i) {
    const auto all = static_cast<uint64_t>(fraction * static_cast<double>(gpus[i].info.memory_bytes));
    const bool whole = lists.empty() || lists[static_cast<int>(i)].memory_limit_mb().empty();
    if (whole) {
      parts.push_back({gpus[i], all});
      continue;
    }
    for (const float megabytes : lists[static_cast<int>(i)].memory_limit_mb())
      parts.push_back({gpus[i], static_cast<uint64_t>(megabytes) * kMegabyte});
  }
  return parts;
}

GpuDevice::Options DeviceOptions(const Part& part, Env& env) {
  const GpuInfo& info = part.gpu.info;
  GpuDevice::Options options;
  options.memory_limit = part.memory;
  options.description = fmt::format("device: {}, name: {}, pci bus id: {}, compute capability: {}.{}", info.ordinal,
                                    info.name, info.bus_id, info.major, info.minor);
  if (part.gpu.fake) {
    options.open = [info]() -> Result<std::shared_ptr<GpuStream>> { return std::make_shared<FakeGpuStream>(info); };
    options.make_kernel = MakeHostKernel;
  } else {
    options.open = [ordinal = info.ordinal, &env]() -> Result<std::shared_ptr<GpuStream>> {
      WEIR_ASSIGN(std::unique_ptr<GpuStream> stream, OpenCudaStream(ordinal, env));
      return std::shared_ptr<GpuStream>(std::move(stream));
    };
  }
  return options;
}

}  // namespace

std::vector<std::unique_ptr<Device>> MakeGpuDevices(const tensorflow::ConfigProto& config, const std::string& task,
                                                    Rng& rng, Env& env) {
  std::vector<std::unique_ptr<Device>> devices;
  const auto wanted = config.device_count().find("GPU");
  if (wanted != config.device_count().end() && wanted->second <= 0) return devices;
  std::vector<Gpu> gpus = FindGpus(env);
  if (gpus.empty()) return devices;
  Result<std::vector<Gpu>> visible = Visible(config.gpu_options().visible_device_list(), std::move(gpus));
  Result<std::vector<Part>> parts =
      visible.ok() ? PartsOf(*visible, config.gpu_options()) : Result<std::vector<Part>>(visible.status());
  if (!parts.ok()) {
    LogError("{}: this session uses no GPU", std::string(parts.status().message()));
    return devices;
  }
  for (const Part& part : *parts) {
    if (wanted != config.device_count().end() && static_cast<int>(devices.size()) >= wanted->second) break;
    GpuDevice::Options options = DeviceOptions(part, env);
    options.name = fmt::format("{}/device:GPU:{}", task, devices.size());
    options.incarnation = rng.Next64();
    devices.push_back(std::make_unique<GpuDevice>(std::move(options)));
  }
  return devices;
}

}  // namespace weir

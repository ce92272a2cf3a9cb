#include "device/cuda/cuda_devices.h"

#include <mutex>

#include "base/log.h"
#include "device/cuda/cuda_stream.h"

namespace weir {
namespace {

struct Machine {
  CudaLibraries libraries;
  std::shared_ptr<CudaCompiler> compiler;
  std::vector<GpuInfo> devices;
};

Result<GpuInfo> Describe(const CudaDriver& driver, int ordinal) {
  GpuInfo info;
  info.ordinal = ordinal;
  cuda::CUdevice device = 0;
  WEIR_TRY(driver.Check(driver.cuDeviceGet(&device, ordinal), "cuDeviceGet"));
  char text[256] = {};
  WEIR_TRY(driver.Check(driver.cuDeviceGetName(text, sizeof(text), device), "cuDeviceGetName"));
  info.name = text;
  WEIR_TRY(driver.Check(driver.cuDeviceGetPCIBusId(text, sizeof(text), device), "cuDeviceGetPCIBusId"));
  info.bus_id = text;
  size_t bytes = 0;
  WEIR_TRY(driver.Check(driver.cuDeviceTotalMem_v2(&bytes, device), "cuDeviceTotalMem"));
  info.memory_bytes = bytes;
  const auto attribute = [&](int which, auto* to) {
    int value = 0;
    WEIR_TRY(driver.Check(driver.cuDeviceGetAttribute(&value, which, device), "cuDeviceGetAttribute"));
    *to = static_cast<std::remove_pointer_t<decltype(to)>>(value);
    return OkStatus();
  };
  WEIR_TRY(attribute(cuda::kAttributeMajor, &info.major));
  WEIR_TRY(attribute(cuda::kAttributeMinor, &info.minor));
  WEIR_TRY(attribute(cuda::kAttributeMultiprocessors, &info.multiprocessors));
  WEIR_TRY(attribute(cuda::kAttributeL2Bytes, &info.l2_bytes));
  return info;
}

Result<Machine> DetectGpus(Env& env) {
  Machine machine;
  WEIR_ASSIGN(machine.libraries, LoadCudaLibraries(env));
  const CudaDriver& driver = *machine.libraries.driver;
  int count = 0;
  WEIR_TRY(driver.Check(driver.cuDeviceGetCount(&count), "cuDeviceGetCount"));
  for (int i = 0; i < count; ++i) {
    WEIR_ASSIGN(GpuInfo info, Describe(driver, i));
    if (info.major < 8) {
      LogWarning("GPU {} ({}) is not used: it has compute capability {}.{}, Weir needs 8.0", i, info.name, info.major,
                 info.minor);
      continue;
    }
    machine.devices.push_back(std::move(info));
  }
  machine.compiler = std::make_shared<CudaCompiler>(machine.libraries.compiler, env, CudaCacheFolder());
  return machine;
}

// The driver cannot be unloaded, so GPUs are detected once per process. A failure is cached, too.
const Result<Machine>& TheMachine(Env& env) {
  static std::mutex mutex;
  static const Result<Machine>* machine = nullptr;
  std::lock_guard lock(mutex);
  if (machine == nullptr) {
    machine = new Result<Machine>(DetectGpus(env));
    if (!machine->ok() && HasNvidiaDriver(env))
      LogWarning("GPUs are not used: {}", std::string(machine->status().message()));
  }
  return *machine;
}

}  // namespace

std::vector<GpuInfo> CudaDevices(Env& env) {
  if (!HasNvidiaDriver(env)) return {};
  const Result<Machine>& machine = TheMachine(env);
  return machine.ok() ? machine->devices : std::vector<GpuInfo>();
}

Result<std::unique_ptr<GpuStream>> OpenCudaStream(int ordinal, Env& env) {
  const Result<Machine>& machine = TheMachine(env);
  WEIR_TRY(machine.status());
  for (const GpuInfo& info : machine->devices) {
    if (info.ordinal == ordinal) return CudaStream::Open(machine->libraries, machine->compiler, info);
  }
  return NotFound("there is no GPU {}: this machine has {} that Weir can use", ordinal, machine->devices.size());
}

}  // namespace weir

// A CPU device only names the memory of the process. The memory limit is the value that TensorFlow reports.
#include "device/cpu/cpu_device.h"

namespace weir {
namespace {

constexpr int64_t kReportedMemory = int64_t{256} << 20;

class CpuDevice final : public Device {
 public:
  CpuDevice(std::string name, uint64_t incarnation) {
    attributes_.set_name(std::move(name));
    attributes_.set_device_type("CPU");
    attributes_.set_physical_device_desc(kWeirDevice);
    attributes_.set_memory_limit(kReportedMemory);
    attributes_.set_incarnation(incarnation);
  }
  const tensorflow::DeviceAttributes& attributes() const override { return attributes_; }
  Allocator& allocator() override { return CpuAllocator(); }

 private:
  tensorflow::DeviceAttributes attributes_;
};

}  // namespace

std::unique_ptr<Device> MakeCpuDevice(std::string name, uint64_t incarnation) {
  return std::make_unique<CpuDevice>(std::move(name), incarnation);
}

}  // namespace weir

#include "device/renamed_device.h"

namespace weir {
namespace {

class RenamedDevice final : public Device {
 public:
  RenamedDevice(Device& device, const std::string& task) : device_(device), attributes_(device.attributes()) {
    attributes_.set_name(RenameDeviceTask(task, device.name()));
  }
  const tensorflow::DeviceAttributes& attributes() const override { return attributes_; }
  Allocator& allocator() override { return device_.allocator(); }
  GpuDevice* gpu() const override { return device_.gpu(); }

 private:
  Device& device_;
  tensorflow::DeviceAttributes attributes_;
};

}  // namespace

std::unique_ptr<Device> RenameDevice(Device& device, const std::string& task) {
  return std::make_unique<RenamedDevice>(device, task);
}

std::string RenameDeviceTask(const std::string& task, const std::string& device) {
  const size_t at = device.rfind("/device:");
  return at == std::string::npos ? device : task + device.substr(at);
}

}  // namespace weir

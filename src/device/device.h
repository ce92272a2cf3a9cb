// Device: where kernels run, identified by its full name ("/job:localhost/replica:0/task:0/device:CPU:0").
// Thread-safe. Lives as long as the session or server that created it.
#pragma once

#include <string>

#include "proto/device_attributes.pb.h"
#include "tensor/buffer.h"

namespace weir {

// The physical_device_desc of every device. Tells other tasks that this task runs Weir.
inline constexpr char kWeirDevice[] = "Weir";

class GpuDevice;

class Device {
 public:
  virtual ~Device() = default;
  // Name, kind ("CPU"), memory limit and incarnation, as seen by clients and other tasks.
  virtual const tensorflow::DeviceAttributes& attributes() const = 0;
  // Allocates the tensors of this device.
  virtual Allocator& allocator() = 0;
  // The GPU behind this device; null for other devices, and for the devices of other tasks.
  virtual GpuDevice* gpu() const { return nullptr; }

  const std::string& name() const { return attributes().name(); }
  const std::string& kind() const { return attributes().device_type(); }
};

}  // namespace weir

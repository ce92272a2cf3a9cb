// Device: a place where kernels run, known by its full name ("/job:localhost/replica:0/task:0/device:CPU:0").
// Thread-safe; lives as long as the session or server that made it.
#pragma once

#include <string>

#include "proto/device_attributes.pb.h"
#include "tensor/buffer.h"

namespace weir {

// In physical_device_desc of every device: how tasks know each other for what they are.
inline constexpr char kWeirDevice[] = "Weir";

class Device {
 public:
  virtual ~Device() = default;
  // Name, kind ("CPU"), memory limit, incarnation: as clients and other tasks see them.
  virtual const tensorflow::DeviceAttributes& attributes() const = 0;
  // Where tensors of this device live.
  virtual Allocator& allocator() = 0;

  const std::string& name() const { return attributes().name(); }
  const std::string& kind() const { return attributes().device_type(); }
};

}  // namespace weir

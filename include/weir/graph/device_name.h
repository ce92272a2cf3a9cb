// DeviceName: "/job:ps/replica:0/task:1/device:CPU:0". Every part is optional. A value type.
#ifndef WEIR_GRAPH_DEVICE_NAME_H_
#define WEIR_GRAPH_DEVICE_NAME_H_

#include <optional>
#include <string>
#include <string_view>

#include "weir/base/status.h"

namespace weir {

struct DeviceName {
  std::optional<std::string> job;
  std::optional<int> replica;
  std::optional<int> task;
  std::optional<std::string> type;  // upper case: "CPU", "GPU"
  std::optional<int> index;         // "*" means no index

  // Accepts full, partial and legacy spellings ("/cpu:0", "/gpu:1", "/device:CPU:*"). "" gives a name without parts.
  static Result<DeviceName> Parse(std::string_view text);
  std::string ToString() const;
  // Parts of `inner` override those of *this.
  DeviceName MergedWith(const DeviceName& inner) const;
  // True if every part that *this specifies is equal in `full`.
  bool Matches(const DeviceName& full) const;
  bool operator==(const DeviceName&) const = default;
};

}  // namespace weir

#endif  // WEIR_GRAPH_DEVICE_NAME_H_

// DeviceName: "/job:ps/replica:0/task:1/device:CPU:0", any part of which may be missing; and how
// nested ones merge. A value.
#ifndef WEIR_GRAPH_DEVICE_NAME_H_
#define WEIR_GRAPH_DEVICE_NAME_H_

#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace weir {

struct DeviceName {
  std::optional<std::string> job;
  std::optional<int> replica;
  std::optional<int> task;
  std::optional<std::string> type;  // upper case: "CPU", "GPU"
  std::optional<int> index;         // "*" is no index

  // Accepts full, partial and legacy spellings ("/cpu:0", "/gpu:1", "/device:CPU:*"); "" names
  // nothing.
  static Result<DeviceName> Parse(std::string_view text);
  std::string ToString() const;
  // Parts of `inner` win over those of *this.
  DeviceName MergedWith(const DeviceName& inner) const;
  // True if every part that *this names is the same in `full`.
  bool Matches(const DeviceName& full) const;
  bool operator==(const DeviceName&) const = default;
};

}  // namespace weir

#endif  // WEIR_GRAPH_DEVICE_NAME_H_

#include "cluster/aligned_trace.h"

#include <algorithm>
#include <limits>

namespace weir {
namespace {

// Times come from the wire: implausible ones do not count, and sums wrap around instead of overflowing.
constexpr int64_t kLatestMicros = int64_t{1} << 52;

bool IsTime(int64_t micros) { return micros > -kLatestMicros && micros < kLatestMicros; }

int64_t Shifted(int64_t time, int64_t shift) {
  return static_cast<int64_t>(static_cast<uint64_t>(time) + static_cast<uint64_t>(shift));
}

}  // namespace

void AlignTrace(int64_t called_micros, int64_t answered_micros, tensorflow::StepStats* stats) {
  int64_t first = std::numeric_limits<int64_t>::max();
  int64_t last = std::numeric_limits<int64_t>::min();
  for (const tensorflow::DeviceStepStats& device : stats->dev_stats()) {
    for (const tensorflow::NodeExecStats& node : device.node_stats()) {
      if (!IsTime(node.all_start_micros()) || !IsTime(node.all_end_rel_micros())) continue;
      first = std::min(first, node.all_start_micros());
      last = std::max(last, node.all_start_micros() + node.all_end_rel_micros());
    }
  }
  if (first > last || (first >= called_micros && last <= answered_micros)) return;
  const int64_t shift = called_micros + (answered_micros - called_micros - (last - first)) / 2 - first;
  constexpr int64_t kNanosPerMicro = 1000;
  for (tensorflow::DeviceStepStats& device : *stats->mutable_dev_stats()) {
    for (tensorflow::NodeExecStats& node : *device.mutable_node_stats()) {
      node.set_all_start_micros(Shifted(node.all_start_micros(), shift));
      if (node.all_start_nanos() != 0)
        node.set_all_start_nanos(Shifted(node.all_start_nanos(), shift * kNanosPerMicro));
      if (node.scheduled_micros() != 0) node.set_scheduled_micros(Shifted(node.scheduled_micros(), shift));
      if (node.scheduled_nanos() != 0)
        node.set_scheduled_nanos(Shifted(node.scheduled_nanos(), shift * kNanosPerMicro));
    }
  }
}

}  // namespace weir

// RendezvousKey: identifies a value that is sent between two devices in a step, in TensorFlow's format:
// "/job:ps/replica:0/task:0/device:CPU:0;00000000deadbeef;/job:worker/…;edge_5_w;0:0" (source device, its incarnation,
// destination device, edge name, loop frame and iteration). A value type.
#ifndef WEIR_OP_RENDEZVOUS_KEY_H_
#define WEIR_OP_RENDEZVOUS_KEY_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace weir {

struct RendezvousKey {
  std::string from;
  uint64_t incarnation = 0;
  std::string to;
  std::string edge;
  uint64_t frame = 0;
  int64_t iteration = 0;

  std::string ToString() const;
  // InvalidArgument if `text` is not in the format of ToString.
  static Result<RendezvousKey> Parse(std::string_view text);
};

}  // namespace weir

#endif  // WEIR_OP_RENDEZVOUS_KEY_H_

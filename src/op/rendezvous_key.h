// RendezvousKey: under what a value travels between two devices in a step, as TensorFlow writes it:
// "/job:ps/replica:0/task:0/device:CPU:0;00000000deadbeef;/job:worker/…;edge_5_w;0:0" (from, the life of that device,
// to, the name of the edge, loop and iteration). A value.
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
  // InvalidArgument for anything that ToString could not have written.
  static Result<RendezvousKey> Parse(std::string_view text);
};

}  // namespace weir

#endif  // WEIR_OP_RENDEZVOUS_KEY_H_

// ReplicaWatch: what the chief of synchronous replicas does beside: sees to it that gradients come. Where every replica
// waits for a step that lacks gradients, some were given to a model that is gone: all give theirs once more. Where
// replicas are missing for too long, it says so.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "op/cancel.h"
#include "session/session.h"
#include "train/coordinator.h"

namespace weir {

struct ReplicaWatch {
  std::string name;           // of the optimizer, for messages
  std::vector<Output> given;  // how many gradients each accumulator has
  Output step;
  Output waiting;         // below 0: every replica waits
  Node* again = nullptr;  // lets all that wait begin the step again
  int64_t needed = 1;     // gradients per step
  double limit_secs = 60;
  Clock* clock = &RealClock();

  // Until the coordinator stops. DeadlineExceeded when a step lacks gradients for longer than the limit.
  Status Run(Session& session, const Coordinator& coordinator, CancelToken& stopped) const;
};

}  // namespace weir

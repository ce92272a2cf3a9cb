// ReplicaWatch: polls the accumulators of synchronous replicas, on the chief, to detect missing gradients. If all
// replicas wait for a step that lacks gradients, some gradients were lost with a task that was restarted: the watch
// makes all replicas repeat the step. If too few replicas contribute for too long, the watch fails.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "op/cancel.h"
#include "session/session.h"
#include "train/coordinator.h"

namespace weir {

struct ReplicaWatch {
  std::string name;           // name of the optimizer, for messages
  std::vector<Output> given;  // number of gradients in each accumulator
  Output step;
  Output waiting;         // negative if every replica waits
  Node* again = nullptr;  // makes all waiting replicas repeat the step
  int64_t needed = 1;     // gradients per step
  double limit_secs = 60;
  Clock* clock = &RealClock();

  // Runs until the coordinator stops. DeadlineExceeded if a step lacks gradients for longer than the limit.
  Status Run(Session& session, const Coordinator& coordinator, CancelToken& stopped) const;
};

// ChiefWatch: runs on the other replicas to detect that the chief is missing. Only the chief applies gradients, so
// without it all replicas wait.
struct ChiefWatch {
  std::string name;  // name of the optimizer, for messages
  Output step;
  Output waiting;  // negative if every replica waits
  double warn_secs = 10;
  double limit_secs = 600;
  double pause_secs = 1;  // between polls
  Clock* clock = &RealClock();

  // Runs until the coordinator stops. Warns while all replicas wait at the same step; DeadlineExceeded after the limit.
  Status Run(Session& session, const Coordinator& coordinator) const;
};

}  // namespace weir

// Waiting for the checkpoints of a running training, to evaluate them.
#pragma once

#include <optional>
#include <string>

#include "weir/base/clock.h"
#include "weir/base/env.h"
#include "weir/op/cancel.h"

namespace weir {

struct CheckpointWait {
  double pause_secs = 1;  // between polls of the directory
  std::optional<double> timeout_secs = {};
  Env* env = &RealEnv();
  Clock* clock = &RealClock();
};
// The newest checkpoint of a directory, once it differs from `last`. nullopt after the timeout.
Result<std::optional<std::string>> WaitForNewCheckpoint(const std::string& directory,
                                                        const std::optional<std::string>& last,
                                                        const CheckpointWait& wait = {}, CancelToken* cancel = nullptr);

}  // namespace weir

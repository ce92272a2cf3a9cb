#include "train/checkpoint_wait.h"

#include <limits>

#include "train/backoff.h"
#include "train/checkpoint_state.h"
#include "train/log.h"

namespace weir {

Result<std::optional<std::string>> WaitForNewCheckpoint(const std::string& directory,
                                                        const std::optional<std::string>& last,
                                                        const CheckpointWait& wait, CancelToken* cancel) {
  TrainInfo("Waiting for new checkpoint at {}", directory);
  Backoff backoff(wait.pause_secs, wait.timeout_secs.value_or(std::numeric_limits<double>::infinity()), cancel,
                  *wait.clock);
  while (true) {
    WEIR_ASSIGN(std::optional<std::string> latest, LatestCheckpoint(*wait.env, directory));
    if (latest && latest != last) {
      TrainInfo("Found new checkpoint at {}", *latest);
      return latest;
    }
    if (wait.timeout_secs && backoff.waited_secs() >= *wait.timeout_secs) return std::optional<std::string>();
    const Status waited = backoff.Wait();
    if (waited.code() == StatusCode::kDeadlineExceeded) return std::optional<std::string>();
    WEIR_TRY(waited);
  }
}

}  // namespace weir

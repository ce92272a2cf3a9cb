#include "graph/build_state.h"

namespace weir {

BuildState& BuildStates::OfThisThread() {
  std::lock_guard<std::mutex> lock(mu_);
  std::unique_ptr<BuildState>& state = states_[std::this_thread::get_id()];
  if (state == nullptr) state = std::make_unique<BuildState>();
  return *state;
}

}  // namespace weir

// PartialRunState: additional state on a worker for a step that a client runs in pieces (partial_run). Each piece sends
// its feeds into the step's rendezvous and waits for its fetches. The last piece also waits for the end of the step.
// Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

#include "cluster/services.h"
#include "cluster/step_rendezvous.h"

namespace weir {

class PartialRunState final {
 public:
  // True for the first piece. Its caller starts the step and calls End when the step has ended.
  bool TryStart() { return !begun_.exchange(true); }
  bool begun() const { return begun_; }
  void End(const Status& status);

  // Runs one piece. `cancel` may be null. When it is cancelled, `give_up` runs, which must abort the rendezvous.
  void Run(RunGraphCall piece, StepRendezvous& rendezvous, CancelToken* cancel,
           std::function<void(const Status&)> give_up, Reply<RunGraphReply> done);

 private:
  struct Piece;
  std::atomic<bool> begun_{false};
  std::mutex mu_;
  bool ended_ = false;
  Status status_;  // of the whole step
  std::vector<std::shared_ptr<Piece>> when_ended_;
};

}  // namespace weir

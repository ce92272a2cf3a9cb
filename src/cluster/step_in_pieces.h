// StepInPieces: what a worker knows of a step that a client runs in pieces (partial_run), beside the step itself. Each
// piece sends the values that it brings into the step's rendezvous and waits for those that it asks for, the last one
// also for the step's end. Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

#include "cluster/services.h"
#include "cluster/step_rendezvous.h"

namespace weir {

class StepInPieces final {
 public:
  // True for the first piece, whose caller starts the step and says later how it ended.
  bool Begin() { return !begun_.exchange(true); }
  bool begun() const { return begun_; }
  void End(const Status& status);

  // Runs one piece. `cancel` may be null; when it is cancelled `give_up` is called, which ends what the rendezvous
  // waits for.
  void Run(RunGraphCall piece, StepRendezvous& rendezvous, CancelToken* cancel,
           std::function<void(const Status&)> give_up, Reply<RunGraphReply> done);

 private:
  struct Piece;
  std::atomic<bool> begun_{false};
  std::mutex mu_;
  bool ended_ = false;
  Status status_;  // of the end
  std::vector<std::shared_ptr<Piece>> when_ended_;
};

}  // namespace weir

// StepRendezvous: passes the values of one step on one task. It stores the values that this task produces until nodes
// of this task or other tasks receive them. It requests other values from the tasks that produce them. Thread-safe.
#pragma once

#include <memory>
#include <string>

#include "cluster/own_task_values.h"
#include "cluster/peers.h"
#include "op/cancel.h"
#include "runtime/rendezvous.h"

namespace weir {

class StepRendezvous final : public Rendezvous {
 public:
  explicit StepRendezvous(int64_t step_id) : step_id_(step_id) {}

  Status Send(const std::string& key, Value value) override;
  void RecvAsync(const std::string& key, Done done) override;
  void Abort(Status reason) override;

  // For receives of other tasks: waits for a value that this task sends.
  // The second form can be withdrawn, see LocalRendezvous::Recv.
  void RecvLocal(const std::string& key, Done done) { local_->RecvAsync(key, std::move(done)); }
  bool RecvLocal(const std::string& key, uint64_t receiver, Done done) {
    return local_->Recv(key, receiver, std::move(done));
  }
  bool Withdraw(const std::string& key, uint64_t receiver) { return local_->Withdraw(key, receiver); }
  // True if neither a value nor a receiver waits here. False after Abort.
  bool idle() { return local_->idle(); }
  // The name of this task, and the tasks to request values from. REQUIRES: called before the first RecvAsync.
  void set_peers(std::shared_ptr<Peers> peers);
  // Requests are sent again when their connection breaks: the other tasks keep the values that they send. `alarms` may
  // be null, else it must outlive this object. REQUIRES: as set_peers.
  void SendRequestsAgain(Alarms* alarms);
  // The values that the master delivers and takes without a request. REQUIRES: called before the first Send and
  // RecvAsync.
  void set_own_values(std::shared_ptr<OwnTaskValues> own_values);

 private:
  struct Chunks;
  tensorflow::RecvTensorRequest RequestFor(const std::string& key, size_t offset) const;
  void AskForAll(std::shared_ptr<WorkerService> worker, const std::string& key, Done done);
  void AskForRest(std::shared_ptr<WorkerService> worker, const std::string& key, const RecvTensorReply& first,
                  Done done);
  void AskForNext(const std::shared_ptr<Chunks>& chunks);

  CallOptions Options();

  const int64_t step_id_;
  const IntrusivePtr<LocalRendezvous> local_ = MakeIntrusive<LocalRendezvous>();
  CancelToken cancel_;
  std::mutex mu_;
  std::shared_ptr<Peers> peers_;
  int64_t resend_ms_ = 0;
  Alarms* resend_alarms_ = nullptr;
  std::shared_ptr<OwnTaskValues> own_values_;
};

}  // namespace weir

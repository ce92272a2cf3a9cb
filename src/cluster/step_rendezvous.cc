#include "cluster/step_rendezvous.h"

#include "op/rendezvous_key.h"
#include "runtime/partition.h"

namespace weir {

void StepRendezvous::set_peers(std::shared_ptr<Peers> peers) {
  std::lock_guard lock(mu_);
  if (peers_ == nullptr) peers_ = std::move(peers);
}

void StepRendezvous::RecvAsync(const std::string& key, Done done) {
  const std::string source = TaskOfDevice(key.substr(0, key.find(';')));
  if (source == task_) return local_->RecvAsync(key, std::move(done));
  RecvFrom(source, key, std::move(done));
}

void StepRendezvous::RecvFrom(const std::string& task, const std::string& key, Done done) {
  std::shared_ptr<Peers> peers;
  {
    std::lock_guard lock(mu_);
    peers = peers_;
  }
  if (peers == nullptr) return done(Internal("step {} does not know where {} is", step_id_, task));
  Result<std::shared_ptr<WorkerService>> worker = peers->Find(task);
  if (!worker.ok()) return done(worker.status());
  tensorflow::RecvTensorRequest request;
  request.set_step_id(step_id_);
  request.set_rendezvous_key(key);
  request.set_dma_ok(true);
  auto self = IntrusivePtr<StepRendezvous>::Share(this);  // its token outlives the call
  (*worker)->RecvTensor(std::move(request), CallOptions{.cancel = &cancel_},
                        [self, key, done = std::move(done)](Result<RecvTensorReply> reply) {
                          if (!reply.ok()) return done(reply.status());
                          if (reply->message.is_dead()) return done(Value{Tensor(), true});
                          if (reply->tensors.size() != 1 || !reply->tensors[0].tensor.valid())
                            return done(Internal("no value came under {}", key));
                          done(Value{std::move(reply->tensors[0].tensor), false});
                        });
}

void StepRendezvous::Abort(Status reason) {
  auto self = IntrusivePtr<StepRendezvous>::Share(this);
  local_->Abort(reason);
  cancel_.Cancel(std::move(reason));
}

}  // namespace weir

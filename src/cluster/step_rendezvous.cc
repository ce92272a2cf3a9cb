#include "cluster/step_rendezvous.h"

#include "cluster/chunks.h"
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
  Ask(*std::move(worker), key, std::make_shared<ChunkedTensor>(), std::move(done));
}

// Asks for the value, or for its next piece.
void StepRendezvous::Ask(std::shared_ptr<WorkerService> worker, const std::string& key,
                         std::shared_ptr<ChunkedTensor> chunks, Done done) {
  tensorflow::RecvTensorRequest request;
  request.set_step_id(step_id_);
  request.set_rendezvous_key(key);
  request.set_dma_ok(true);
  AskForChunk(chunks->received(), &request);
  auto self = IntrusivePtr<StepRendezvous>::Share(this);  // its token outlives the call
  WorkerService& called = *worker;
  called.RecvTensor(
      std::move(request), CallOptions{.cancel = &cancel_},
      [self, worker = std::move(worker), key, chunks, done = std::move(done)](Result<RecvTensorReply> reply) {
        if (!reply.ok()) return done(reply.status());
        if (reply->message.is_dead()) return done(Value{Tensor(), true});
        if (IsChunk(*reply)) {
          if (Status status = chunks->Add(*reply); !status.ok()) return done(status);
          if (!chunks->complete()) return self->Ask(worker, key, chunks, done);
          return done(Value{chunks->Take(), false});
        }
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

#include "cluster/step_rendezvous.h"

#include "cluster/chunks.h"
#include "cluster/session_tasks.h"
#include "runtime/first_answer.h"
#include "runtime/partition.h"

namespace weir {

void StepRendezvous::set_peers(std::shared_ptr<Peers> peers) {
  std::lock_guard lock(mu_);
  if (peers_ == nullptr) peers_ = std::move(peers);
}

void StepRendezvous::set_own_values(std::shared_ptr<OwnTaskValues> own_values) {
  std::lock_guard lock(mu_);
  own_values_ = std::move(own_values);
}

void StepRendezvous::SendRequestsAgain(Alarms* alarms) {
  std::lock_guard lock(mu_);
  resend_ms_ = kSessionLeaseMs;
  resend_alarms_ = alarms;
}

CallOptions StepRendezvous::Options() {
  std::lock_guard lock(mu_);
  return {.cancel = &cancel_, .resend_ms = resend_ms_, .resend_alarms = resend_alarms_};
}

Status StepRendezvous::Send(const std::string& key, Value value) {
  std::shared_ptr<OwnTaskValues> own_values;
  {
    std::lock_guard lock(mu_);
    own_values = own_values_;
  }
  if (own_values != nullptr && own_values->Takes(key)) return own_values->Send(key, std::move(value));
  return local_->Send(key, std::move(value));
}

void StepRendezvous::RecvAsync(const std::string& key, Done done) {
  std::shared_ptr<Peers> peers;
  std::shared_ptr<OwnTaskValues> own_values;
  {
    std::lock_guard lock(mu_);
    peers = peers_;
    own_values = own_values_;
  }
  if (own_values != nullptr && own_values->Delivers(key)) return own_values->RecvAsync(key, std::move(done));
  const std::string source = TaskOfDevice(key.substr(0, key.find(';')));
  if (peers == nullptr)
    return done(Internal("step {}: cannot request a value from {} before RunGraph", step_id_, source));
  if (source == peers->own_task()) return local_->RecvAsync(key, std::move(done));
  Result<std::shared_ptr<WorkerService>> worker = peers->Find(source);
  if (!worker.ok()) return done(worker.status());
  AskForAll(*std::move(worker), key, std::move(done));
}

// Requests the value, and if it comes in chunks, those too.
void StepRendezvous::AskForAll(std::shared_ptr<WorkerService> worker, const std::string& key, Done done) {
  WorkerService& called = *worker;
  auto self = IntrusivePtr<StepRendezvous>::Share(this);  // cancel_ must outlive the call
  called.RecvTensor(RequestFor(key, 0), Options(),
                    [self, worker = std::move(worker), key, done = std::move(done)](Result<RecvTensorReply> reply) {
                      if (!reply.ok()) return done(reply.status());
                      if (reply->message.is_dead()) return done(Value{Tensor(), true});
                      if (IsChunk(*reply)) return self->AskForRest(worker, key, *reply, done);
                      if (reply->tensors.size() != 1 || !reply->tensors[0].tensor.valid())
                        return done(Internal("the response has no value for rendezvous key {}", key));
                      done(Value{std::move(reply->tensors[0].tensor), false});
                    });
}

tensorflow::RecvTensorRequest StepRendezvous::RequestFor(const std::string& key, size_t offset) const {
  tensorflow::RecvTensorRequest request;
  request.set_step_id(step_id_);
  request.set_rendezvous_key(key);
  request.set_dma_ok(true);
  AskForChunk(offset, &request);
  return request;
}

// Several chunks are in flight at a time. The last one, or the first error, completes the receive.
struct StepRendezvous::Chunks {
  std::shared_ptr<WorkerService> worker;
  std::string key;
  FirstAnswer<Result<Value>>::Ptr answer;
  ChunkedTensor tensor;
  void Added(const Result<bool>& complete) {
    if (!complete.ok()) {
      answer->Give(complete.status());
    } else if (*complete) {
      Result<Tensor> whole = tensor.Take();
      answer->Give(whole.ok() ? Result<Value>(Value{*std::move(whole), false}) : whole.status());
    }
  }
};

void StepRendezvous::AskForRest(std::shared_ptr<WorkerService> worker, const std::string& key,
                                const RecvTensorReply& first, Done done) {
  auto chunks = std::make_shared<Chunks>();
  chunks->worker = std::move(worker);
  chunks->key = key;
  chunks->answer = FirstAnswer<Result<Value>>::Make(nullptr, std::move(done));
  chunks->Added(chunks->tensor.Add(first, 0));
  for (int i = 0; i < kChunksAtOnce; ++i) AskForNext(chunks);
}

void StepRendezvous::AskForNext(const std::shared_ptr<Chunks>& chunks) {
  size_t offset = 0;
  if (chunks->answer->answered() || !chunks->tensor.Next(&offset)) return;
  auto self = IntrusivePtr<StepRendezvous>::Share(this);
  chunks->worker->RecvTensor(RequestFor(chunks->key, offset), Options(),
                             [self, chunks, offset](Result<RecvTensorReply> reply) {
                               if (!reply.ok()) return chunks->Added(reply.status());
                               self->AskForNext(chunks);  // the next one is in flight while this one is copied
                               chunks->Added(chunks->tensor.Add(*reply, offset));
                             });
}

void StepRendezvous::Abort(Status reason) {
  auto self = IntrusivePtr<StepRendezvous>::Share(this);
  std::shared_ptr<OwnTaskValues> own_values;
  {
    std::lock_guard lock(mu_);
    own_values = own_values_;
  }
  if (own_values != nullptr) own_values->Abort(reason);
  local_->Abort(reason);
  cancel_.Cancel(std::move(reason));
}

}  // namespace weir

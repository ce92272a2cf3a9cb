// The values that other tasks receive from a Worker (RecvTensor), whole or in chunks.
#include "cluster/chunks.h"
#include "cluster/registered_graph.h"
#include "cluster/worker_state.h"
#include "device/renamed_device.h"
#include "op/rendezvous_key.h"
#include "runtime/first_answer.h"
#include "runtime/partial_step.h"

namespace weir {

// The device must belong to this worker and have its current incarnation. Sessions may use other names for this task.
Status Worker::CheckSource(const std::string& text) const {
  WEIR_ASSIGN(const RendezvousKey key, RendezvousKey::Parse(text));
  for (const auto& device : *devices_) {
    if (device->name() != RenameDeviceTask(task_, key.from)) continue;
    if (device->attributes().incarnation() == key.incarnation) return OkStatus();
    return Aborted("{} was restarted: the requested value was on {} of its previous incarnation", task_, key.from);
  }
  return InvalidArgument("{} has no device {}", task_, key.from);
}

// A receive of another task.
struct Worker::Receive {
  std::shared_ptr<ActiveStep> step;
  int64_t step_id = 0;
  std::string key;
  uint64_t number = 0;  // among the receives of the step
  bool in_chunks = false;
  bool single_message_is_cheap = false;
};

void Worker::RecvTensor(tensorflow::RecvTensorRequest request, const CallOptions& options,
                        Reply<RecvTensorReply> done) {
  if (Status status = CheckSource(request.rendezvous_key()); !status.ok()) return done(status);
  if (stop_.cancelled()) return done(stop_.reason());
  size_t offset = 0;
  Result<bool> in_chunks = WantsChunk(request, &offset);
  if (!in_chunks.ok()) return done(in_chunks.status());
  if (offset > 0) return done(NextChunk(request.step_id(), request.rendezvous_key(), offset));
  auto receive = std::make_shared<Receive>();
  receive->step_id = request.step_id();
  receive->key = std::move(*request.mutable_rendezvous_key());
  receive->in_chunks = *in_chunks;
  receive->single_message_is_cheap = options.single_message_is_cheap;
  {
    std::lock_guard lock(mu_);
    receive->step = StepFor(receive->step_id);
    ++receive->step->waiting;
    receive->number = ++receive->step->num_receives;
  }
  StepRendezvous& rendezvous = *receive->step->rendezvous;
  if (std::optional<Result<RecvTensorReply>> again = AnswerAgain(*receive)) return done(*std::move(again));
  const auto answer =
      FirstAnswer<Result<RecvTensorReply>>::Make(options.cancel, std::move(done), [this, receive, &rendezvous] {
        rendezvous.Withdraw(receive->key, receive->number);
        receive->step->sent.GiveUp(receive->key);
        ReleaseStep(receive->step, receive->step_id, &ActiveStep::waiting);
      });
  if (answer->answered()) return;
  auto receiver = [this, receive, answer, &rendezvous](Result<Rendezvous::Value> value) {
    if (answer->Claim()) {
      std::optional<Rendezvous::Value> for_next;
      if (value.ok() && receive->step->sent.Send(receive->key, *value)) for_next = *value;
      answer->Finish(Received(*receive, std::move(value)));
      if (for_next.has_value()) rendezvous.Send(receive->key, *std::move(for_next)).IgnoreError();
      return;
    }
    // If a copy of the request has got the value, nobody else needs it.
    if (receive->step->sent.Sent(receive->key).ok()) return;
    // The caller gave up after the value was taken: put it back for another receive.
    if (value.ok()) rendezvous.Send(receive->key, *std::move(value)).IgnoreError();
  };
  const bool waits = rendezvous.RecvLocal(receive->key, receive->number, std::move(receiver));
  // If the caller gave up before the receiver was in the rendezvous, on_cancel could not withdraw it.
  if (waits && answer->answered() && rendezvous.Withdraw(receive->key, receive->number))
    ReleaseStep(receive->step, receive->step_id, /*users=*/nullptr);
}

// Answers a request that is sent again, if its value was sent before.
std::optional<Result<RecvTensorReply>> Worker::AnswerAgain(const Receive& receive) {
  ActiveStep& step = *receive.step;
  std::optional<Result<RecvTensorReply>> first;
  {
    std::lock_guard lock(step.mu);
    if (auto it = step.in_chunks.find(receive.key); it != step.in_chunks.end() && receive.in_chunks) {
      ActiveStep::ChunkedSend& entry = it->second;  // from the start
      entry.left = entry.sent.size() - 1;
      entry.sent.assign(entry.sent.size(), false);
      entry.sent[0] = true;
      first = MakeChunk(entry.from, 0, dependencies_.chunk_bytes);
    }
  }
  if (first.has_value()) {
    ReleaseStep(receive.step, receive.step_id, &ActiveStep::waiting);  // the earlier copy still counts
    return first;
  }
  std::optional<Result<Rendezvous::Value>> value = step.sent.Request(receive.key);
  if (!value.has_value()) return std::nullopt;
  return Received(receive, *std::move(value));
}

Result<RecvTensorReply> Worker::Received(const Receive& receive, Result<Rendezvous::Value> value) {
  Result<std::optional<ChunkSource>> apart = std::nullopt;
  if (value.ok() && receive.in_chunks && !value->dead &&
      !(receive.single_message_is_cheap && FitsSingleMessage(value->tensor)))
    apart = SplitIntoChunks(value->tensor, dependencies_.chunk_bytes);
  if (apart.ok() && apart->has_value()) {
    RecvTensorReply first = MakeChunk(**apart, 0, dependencies_.chunk_bytes);
    const size_t chunks = ((*apart)->bytes.num_bytes() - 1) / dependencies_.chunk_bytes + 1;
    bool is_copy = false;
    {
      std::lock_guard lock(receive.step->mu);
      is_copy = receive.step->in_chunks.contains(receive.key);
      ActiveStep::ChunkedSend& entry = receive.step->in_chunks[receive.key];
      entry = {**std::move(apart), std::vector<bool>(chunks), chunks - 1};
      entry.sent[0] = true;
    }
    if (is_copy) ReleaseStep(receive.step, receive.step_id, &ActiveStep::waiting);  // both counted
    return first;
  }
  ReleaseStep(receive.step, receive.step_id, &ActiveStep::waiting);
  WEIR_TRY(value.status());
  if (!apart.ok()) return WithContext(apart.status(), receive.key);
  RecvTensorReply reply;
  reply.message.set_is_dead(value->dead);
  if (!value->dead) reply.tensors.push_back({"", std::move(value->tensor)});
  return reply;
}

Result<RecvTensorReply> Worker::NextChunk(int64_t step_id, const std::string& key, size_t offset) {
  std::shared_ptr<ActiveStep> step;
  {
    std::lock_guard lock(mu_);
    if (auto it = steps_.find(step_id); it != steps_.end()) step = it->second;
  }
  if (step == nullptr) return Aborted("the step ended while a value was being transferred");
  RecvTensorReply reply;
  {
    std::lock_guard lock(step->mu);
    auto it = step->in_chunks.find(key);
    if (it == step->in_chunks.end() && step->sent.expects_copies()) {  // all chunks were sent, but some were lost
      WEIR_ASSIGN(const Rendezvous::Value value, step->sent.Sent(key));
      WEIR_ASSIGN(const std::optional<ChunkSource> source, SplitIntoChunks(value.tensor, dependencies_.chunk_bytes));
      if (!source.has_value() || offset >= source->bytes.num_bytes() || offset % dependencies_.chunk_bytes != 0)
        return InvalidArgument("no chunk at offset {} for rendezvous key {}", offset, key);
      return MakeChunk(*source, offset, dependencies_.chunk_bytes);
    }
    if (it == step->in_chunks.end() || offset >= it->second.from.bytes.num_bytes() ||
        offset % dependencies_.chunk_bytes != 0)
      return InvalidArgument("no chunk at offset {} for rendezvous key {}", offset, key);
    ActiveStep::ChunkedSend& entry = it->second;
    reply = MakeChunk(entry.from, offset, dependencies_.chunk_bytes);
    std::vector<bool>::reference sent = entry.sent[offset / dependencies_.chunk_bytes];
    if (!sent) --entry.left;  // a chunk may be requested again
    sent = true;
    if (entry.left > 0) return reply;
    step->in_chunks.erase(it);
  }
  ReleaseStep(step, step_id, &ActiveStep::waiting);
  return reply;
}

}  // namespace weir

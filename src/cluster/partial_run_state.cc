#include "cluster/partial_run_state.h"

namespace weir {

// Collects the values. The last one completes the call.
struct PartialRunState::Piece {
  std::mutex mu;
  RunGraphReply reply;
  Status status;
  int left = 0;
  Reply<RunGraphReply> done;
  CancelToken* cancel = nullptr;
  CancelToken::Id registration = 0;

  void Finish(const Status& failed) {
    {
      std::lock_guard lock(mu);
      if (status.ok()) status = failed;
      if (--left > 0) return;
    }
    if (registration != 0) cancel->Unregister(registration);
    if (!status.ok()) return done(status);
    done(std::move(reply));
  }
};

void PartialRunState::End(const Status& status) {
  std::vector<std::shared_ptr<Piece>> waiting;
  {
    std::lock_guard lock(mu_);
    ended_ = true;
    status_ = status;
    waiting.swap(when_ended_);
  }
  for (const std::shared_ptr<Piece>& piece : waiting) piece->Finish(status);
}

void PartialRunState::Run(RunGraphCall call, StepRendezvous& rendezvous, CancelToken* cancel,
                          std::function<void(const Status&)> give_up, Reply<RunGraphReply> done) {
  for (NamedTensor& sent : call.tensors) {
    Status status = rendezvous.Send(sent.name, {std::move(sent.tensor), false});
    if (!status.ok()) return done(status);
  }
  auto piece = std::make_shared<Piece>();
  const int count = call.message.recv_key_size();
  piece->left = count + 1;
  piece->done = std::move(done);
  for (const std::string& key : call.message.recv_key()) piece->reply.tensors.push_back({key, Tensor()});
  if (cancel != nullptr) {
    piece->cancel = cancel;
    piece->registration = cancel->Register([give_up, cancel] { give_up(cancel->reason()); });
    if (piece->registration == 0) give_up(cancel->reason());
  }
  for (int i = 0; i < count; ++i) {
    rendezvous.RecvLocal(call.message.recv_key(i), [piece, i](Result<Rendezvous::Value> value) {
      if (!value.ok()) return piece->Finish(value.status());
      if (value->dead)
        return piece->Finish(InvalidArgument("'{}' is on a branch that was not taken", piece->reply.tensors[i].name));
      piece->reply.tensors[i].tensor = std::move(value->tensor);
      piece->Finish(OkStatus());
    });
  }
  if (!call.message.is_last_partial_run()) return piece->Finish(OkStatus());
  Status ended;
  {
    std::lock_guard lock(mu_);
    if (!ended_) {
      when_ended_.push_back(std::move(piece));
      return;
    }
    ended = status_;
  }
  piece->Finish(ended);
}

}  // namespace weir

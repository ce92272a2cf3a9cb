// LocalRendezvous: a rendezvous within one process. Values and receivers under the same key are matched in FIFO order.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <unordered_map>

#include "op/rendezvous.h"

namespace weir {

class LocalRendezvous final : public Rendezvous {
 public:
  LocalRendezvous() = default;
  Status Send(const std::string& key, Value value) override;
  void RecvAsync(const std::string& key, Done done) override { Recv(key, /*receiver=*/0, std::move(done)); }
  void Abort(Status reason) override;
  // Whether nothing is pending and Abort was not called, so that the rendezvous can be reused.
  bool idle();

  // As RecvAsync, for a receiver that may give up. `receiver` is its number, for Withdraw. Returns true if it waits for
  // the value, false if `done` has run.
  bool Recv(const std::string& key, uint64_t receiver, Done done);
  // Removes a receiver that waits: its `done` will not run. False if it does not wait.
  bool Withdraw(const std::string& key, uint64_t receiver);

 private:
  struct Receiver {
    uint64_t number = 0;
    Done done;
  };
  struct PendingValue {  // at least one of the two is empty
    std::deque<Value> values;
    std::deque<Receiver> receivers;
  };
  std::mutex mu_;
  Status aborted_;
  std::unordered_map<std::string, PendingValue> pending_;
};

}  // namespace weir

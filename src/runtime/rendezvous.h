// LocalRendezvous: a rendezvous within one process. Values and receivers under the same key are matched in FIFO order.
#pragma once

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
  void RecvAsync(const std::string& key, Done done) override;
  void Abort(Status reason) override;
  // Whether nothing is pending and Abort was not called, so that the rendezvous can be reused.
  bool idle();

 private:
  struct Meeting {  // at least one of the two is empty
    std::deque<Value> values;
    std::deque<Done> receivers;
  };
  std::mutex mu_;
  Status aborted_;
  std::unordered_map<std::string, Meeting> meetings_;
};

}  // namespace weir

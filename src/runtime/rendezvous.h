// LocalRendezvous: a rendezvous inside one process. Values wait for receivers and receivers for values, first come
// first served under each key.
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
  // True if nothing waits and nothing was aborted: as good as new.
  bool idle();

 private:
  struct Meeting {  // one of the two is empty
    std::deque<Value> values;
    std::deque<Done> receivers;
  };
  std::mutex mu_;
  Status aborted_;
  std::unordered_map<std::string, Meeting> meetings_;
};

}  // namespace weir

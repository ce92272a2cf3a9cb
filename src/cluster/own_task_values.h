// OwnTaskValues: passes the values of one step between a master and the part of
// its own task, without calls. The master delivers values that it has from
// other parts, and takes values that it sends to other parts. Thread-safe.
// After Abort, all waits fail.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "runtime/rendezvous.h"

namespace weir {

class OwnTaskValues final {
 public:
  struct Keys {
    absl::flat_hash_set<std::string> delivered;  // to the part
    absl::flat_hash_set<std::string> taken;      // from the part
    bool empty() const { return delivered.empty() && taken.empty(); }
  };
  using Take = std::function<void(const std::string& key, Tensor value)>;
  // `take` gets each value that the master takes, on the thread that sends it.
  OwnTaskValues(std::shared_ptr<const Keys> keys, Take take) : keys_(std::move(keys)), take_(std::move(take)) {}

  // For the master.
  bool Delivers(const std::string& key) const { return keys_->delivered.contains(key); }
  // REQUIRES: Delivers(key). Each may be called once per key.
  void Deliver(const std::string& key, Tensor value) {
    values_->Send(key, {std::move(value), false}).IgnoreError();  // fails after Abort only
  }

  // For the part. RecvAsync requires Delivers(key), Send requires Takes(key).
  void RecvAsync(const std::string& key, Rendezvous::Done done) { values_->RecvAsync(key, std::move(done)); }
  bool Takes(const std::string& key) const { return keys_->taken.contains(key); }
  Status Send(const std::string& key, Rendezvous::Value value) {
    if (value.dead) return Internal("the value for rendezvous key {} is dead, but its receiver needs it", key);
    take_(key, std::move(value.tensor));
    return OkStatus();
  }
  void Abort(const Status& reason) { values_->Abort(reason); }

 private:
  const std::shared_ptr<const Keys> keys_;
  const Take take_;
  const IntrusivePtr<LocalRendezvous> values_ = MakeIntrusive<LocalRendezvous>();
};

}  // namespace weir

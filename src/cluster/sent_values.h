// SentValues: the values of one step that other tasks have requested (RecvTensor). If the step keeps them, a request
// that is sent again, because its connection broke, gets the same value. Thread-safe.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "op/rendezvous.h"

namespace weir {

// The memory for the values that a step keeps. A value that does not fit is sent, but not kept.
inline constexpr size_t kKeptValueBytes = size_t{1} << 20;

class SentValues final {
 public:
  // REQUIRES: called before the first value arrives.
  void KeepValues() { keeps_ = true; }
  // True if a value was sent while the step keeps its values: requests for it may arrive again.
  bool expects_copies() const { return expects_copies_; }

  // Call it when a request arrives. Returns the value, or an error, if it was sent before. Otherwise the request must
  // wait for it, until Send or GiveUp. Several copies may wait: which of their connections still work is not known.
  std::optional<Result<Rendezvous::Value>> Request(const std::string& key);
  // Call it when the value has arrived for a request. True if another copy of the request waits for it, too.
  bool Send(const std::string& key, const Rendezvous::Value& value);
  // Call it when a request does not wait any more.
  void GiveUp(const std::string& key);
  // The value that was sent for the key, or an error.
  Result<Rendezvous::Value> Sent(const std::string& key) const;
  // Frees the values.
  void Clear();

 private:
  struct Entry {
    int waiting = 0;  // number of requests
    bool sent = false;
    std::optional<Rendezvous::Value> value;
  };
  static Result<Rendezvous::Value> ValueOf(const std::string& key, const Entry& entry);

  std::atomic<bool> keeps_{false};
  std::atomic<bool> expects_copies_{false};
  mutable std::mutex mu_;
  std::map<std::string, Entry> entries_;
  size_t bytes_ = 0;
};

}  // namespace weir

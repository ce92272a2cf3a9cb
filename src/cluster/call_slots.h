// CallSlots: numbers the calls of one session, so that its peer recognizes a call that is sent again. A slot has one
// call in flight at a time, and each call on it has a larger sequence number than the one before. So a new call on a
// slot also says that the response to the previous one has arrived, or is not wanted. Thread-safe.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

namespace weir {

struct CallNumber {
  uint32_t slot = 0;  // from 1; 0: the call has no number and is not sent again
  uint64_t sequence = 0;
};

// The peer refuses larger slots, which limits the memory that it needs for a session.
inline constexpr uint32_t kMaxCallSlots = 1024;

// A call is sent at most so often: one that itself breaks each connection must end.
inline constexpr int kMaxCopies = 100;

class CallSlots final {
 public:
  // Takes a free slot for up to `count` calls, one after the other. Returns the number of the first; the others have
  // the following sequence numbers. Slot 0 if all slots are in use.
  CallNumber Take(uint64_t count) {
    std::lock_guard lock(mu_);
    if (free_.empty()) {
      if (next_.size() == kMaxCallSlots) return {};
      next_.push_back(1);
      free_.push_back(static_cast<uint32_t>(next_.size()));
    }
    CallNumber number{free_.back()};
    free_.pop_back();
    uint64_t& next = next_[number.slot - 1];
    number.sequence = next;
    next += count;
    return number;
  }
  // Call it when the responses have arrived, or the peer was told that they are not wanted.
  void Free(CallNumber number) {
    if (number.slot == 0) return;
    std::lock_guard lock(mu_);
    free_.push_back(number.slot);
  }

 private:
  std::mutex mu_;
  std::vector<uint32_t> free_;  // used last in, first out, so that few slots are in use
  std::vector<uint64_t> next_;  // sequence number, by slot - 1
};

}  // namespace weir

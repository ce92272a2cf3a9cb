// Bundle: while one lives, what its thread has to tell other tasks may be kept for a moment, so that all that goes to
// one of them leaves at once. It leaves at the end, and before the thread does anything else than to send and receive:
// who runs a kernel or waits calls Send. They may lie inside of one another; the outermost counts. Not thread-safe: it
// is this thread's alone.
#pragma once

#include <memory>
#include <utility>

#include "absl/container/inlined_vector.h"

namespace weir {

class Bundle final {
 public:
  // Who keeps what it was given, in its order.
  class Sender {
   public:
    // Any time after Add, by the thread that called that: what is kept leaves now, unless it has.
    virtual void SendKept() = 0;

   protected:
    ~Sender() = default;
  };

  Bundle() : is_outermost_(OfThread() == nullptr) {
    if (is_outermost_) OfThread() = this;
  }
  ~Bundle() {
    if (!is_outermost_) return;
    OfThread() = nullptr;  // what sending leads to is not kept
    Send();
  }
  Bundle(const Bundle&) = delete;
  Bundle& operator=(const Bundle&) = delete;

  // That of this thread; null where nothing is to be kept.
  static Bundle* Current() { return OfThread(); }
  void Add(std::shared_ptr<Sender> sender) {
    for (const std::shared_ptr<Sender>& known : senders_) {
      if (known == sender) return;
    }
    senders_.push_back(std::move(sender));
  }
  void Send() {
    while (!senders_.empty()) {
      for (const std::shared_ptr<Sender>& sender : std::exchange(senders_, {})) sender->SendKept();
    }
  }

 private:
  static Bundle*& OfThread() {
    thread_local Bundle* current = nullptr;
    return current;
  }
  const bool is_outermost_;
  absl::InlinedVector<std::shared_ptr<Sender>, 2> senders_;
};

}  // namespace weir

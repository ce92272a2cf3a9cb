// SendBatch: scope in which messages of the current thread to other tasks may be buffered, so that all messages to one
// task are sent together. They are flushed at the end of the scope. A thread that is about to run a kernel or to block
// must call Send first. Scopes may nest; only the outermost one is active. Affects the current thread only.
#pragma once

#include <memory>
#include <utility>

#include "absl/container/inlined_vector.h"

namespace weir {

class SendBatch final {
 public:
  // A connection that buffers messages, in order.
  class Sender {
   public:
    // Flushes the buffered messages. Called on the thread that called Add. No-op if nothing is buffered.
    virtual void FlushQueue() = 0;

   protected:
    ~Sender() = default;
  };

  SendBatch() : is_outermost_(OfThread() == nullptr) {
    if (is_outermost_) OfThread() = this;
  }
  ~SendBatch() {
    if (!is_outermost_) return;
    OfThread() = nullptr;  // messages that Send causes are not buffered
    Flush();
  }
  SendBatch(const SendBatch&) = delete;
  SendBatch& operator=(const SendBatch&) = delete;

  // The active SendBatch of this thread; null if messages must not be buffered.
  static SendBatch* Current() { return OfThread(); }
  void Add(std::shared_ptr<Sender> sender) {
    for (const std::shared_ptr<Sender>& known : senders_) {
      if (known == sender) return;
    }
    senders_.push_back(std::move(sender));
  }
  void Flush() {
    while (!senders_.empty()) {
      for (const std::shared_ptr<Sender>& sender : std::exchange(senders_, {})) sender->FlushQueue();
    }
  }

 private:
  static SendBatch*& OfThread() {
    thread_local SendBatch* current = nullptr;
    return current;
  }
  const bool is_outermost_;
  absl::InlinedVector<std::shared_ptr<Sender>, 2> senders_;
};

}  // namespace weir

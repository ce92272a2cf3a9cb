// TransportThread: what the current thread does for a transport, as far as steps have to know. It holds the two kinds
// of scope that a thread can be in. SendBatch: messages to other tasks are buffered. DonatedThread: the thread only
// waits or polls, and may do the work of steps meanwhile. All of it affects the current thread only.
#pragma once

#include <memory>
#include <utility>

#include "absl/container/inlined_vector.h"

namespace weir {

class SendBatch;

class TransportThread final {
 public:
  static TransportThread& Current() {
    thread_local constinit TransportThread current;
    return current;
  }

  // For steps. A thread that is about to run a kernel or to block must call Flush first: it sends the buffered
  // messages.
  void Flush();
  // Whether the thread is donated. When it delivers a value to a step, it continues the step like a worker and runs
  // expensive nodes too, instead of waking another thread.
  bool is_donated() const { return owner_ != nullptr; }
  // Call it before expensive work. No-op if the thread is not donated.
  void BeginLongWork() {
    if (owner_ != nullptr) owner_->BeginLongWork();
  }

  // The active batch; null if messages must not be buffered.
  SendBatch* batch() const { return batch_; }

  // The owner of a donated thread.
  class Owner {
   public:
    // Called on the thread before it starts expensive work.
    virtual void BeginLongWork() = 0;

   protected:
    ~Owner() = default;
  };

 private:
  friend class SendBatch;
  friend class DonatedThread;
  constexpr TransportThread() = default;

  SendBatch* batch_ = nullptr;
  Owner* owner_ = nullptr;
};

// A scope in which messages of the current thread to other tasks may be buffered, so that all messages to one task are
// sent together. They are flushed at the end of the scope. Scopes may nest; only the outermost one is active.
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
    OfThread() = nullptr;  // messages that Flush causes are not buffered
    Flush();
  }
  SendBatch(const SendBatch&) = delete;
  SendBatch& operator=(const SendBatch&) = delete;

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
  static SendBatch*& OfThread() { return TransportThread::Current().batch_; }
  const bool is_outermost_;
  absl::InlinedVector<std::shared_ptr<Sender>, 2> senders_;
};

inline void TransportThread::Flush() {
  if (batch_ != nullptr) batch_->Flush();
}

// A scope in which the current thread is donated. Scopes may nest; the innermost one is active.
class DonatedThread final {
 public:
  explicit DonatedThread(TransportThread::Owner& owner) : outer_(std::exchange(OfThread(), &owner)) {}
  ~DonatedThread() { OfThread() = outer_; }
  DonatedThread(const DonatedThread&) = delete;
  DonatedThread& operator=(const DonatedThread&) = delete;

 private:
  static TransportThread::Owner*& OfThread() { return TransportThread::Current().owner_; }
  TransportThread::Owner* const outer_;
};

}  // namespace weir

// LentThread: scope in which the current thread, which only waits or polls, may do the work of steps. When it delivers
// a value to a step, it continues the step like a worker and runs expensive nodes too, instead of waking another
// thread. Scopes may nest; the innermost one is active. Affects the current thread only.
#pragma once

#include <utility>

namespace weir {

class LentThread final {
 public:
  // The owner of the thread.
  class Lender {
   public:
    // Called on the thread before it starts expensive work.
    virtual void BeginLongWork() = 0;

   protected:
    ~Lender() = default;
  };

  explicit LentThread(Lender& lender) : outer_(std::exchange(Current(), &lender)) {}
  ~LentThread() { Current() = outer_; }
  LentThread(const LentThread&) = delete;
  LentThread& operator=(const LentThread&) = delete;

  static bool IsHere() { return Current() != nullptr; }
  static void BeginLongWork() {
    if (Lender* const lender = Current()) lender->BeginLongWork();
  }

 private:
  static Lender*& Current() {
    thread_local Lender* current = nullptr;
    return current;
  }
  Lender* const outer_;
};

}  // namespace weir

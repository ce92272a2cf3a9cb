// LentThread: while one lives, its thread, which has nothing to do but to wait, goes on with steps that it brings
// values to as one of their own: it runs costly nodes too, instead of waking another thread for them. They may lie
// inside of one another; the innermost counts. Not thread-safe: it is this thread's alone.
#pragma once

#include <utility>

namespace weir {

class LentThread final {
 public:
  // Whose thread it is.
  class Lender {
   public:
    // The thread begins with something that takes long.
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

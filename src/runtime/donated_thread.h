// DonatedThread: scope in which the current thread, which only waits or polls, may do the work of steps. When it
// delivers a value to a step, it continues the step like a worker and runs expensive nodes too, instead of waking
// another thread. Scopes may nest; the innermost one is active. Affects the current thread only.
#pragma once

#include <utility>

namespace weir {

class DonatedThread final {
 public:
  // The owner of the thread.
  class Owner {
   public:
    // Called on the thread before it starts expensive work.
    virtual void BeginLongWork() = 0;

   protected:
    ~Owner() = default;
  };

  explicit DonatedThread(Owner& owner) : outer_(std::exchange(Current(), &owner)) {}
  ~DonatedThread() { Current() = outer_; }
  DonatedThread(const DonatedThread&) = delete;
  DonatedThread& operator=(const DonatedThread&) = delete;

  static bool IsCurrent() { return Current() != nullptr; }
  static void BeginLongWork() {
    if (Owner* const owner = Current()) owner->BeginLongWork();
  }

 private:
  static Owner*& Current() {
    thread_local Owner* current = nullptr;
    return current;
  }
  Owner* const outer_;
};

}  // namespace weir

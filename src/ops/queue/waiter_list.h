// WaiterList: the calls that wait for a resource (queue, accumulator, staging area), in order of arrival. A call waits
// until the resource serves it or its step is cancelled, and blocks no thread.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "op/cancel.h"

namespace weir::ops {

// Protected by the lock of the resource, except RunCallbacks. `Call` is what the resource keeps for a call. It has a
// method `void Finish(Status)`, which runs the callback.
template <class Call>
class WaiterList final {
 public:
  struct WaitingCall {
    Call call;
    CancelToken* cancel = nullptr;
    CancelToken::Id cancel_id = 0;
  };
  using WaitingCalls = std::map<uint64_t, WaitingCall>;  // by order of arrival
  using Iterator = typename WaitingCalls::iterator;
  struct Ended {
    WaitingCall waiter;
    Status status;
  };

  // Adds a call. `serve(id)` then serves the calls that can proceed. If this call still waits afterwards,
  // `on_cancel(id)` runs when its step is cancelled, without the lock; the call may have ended by then. Returns the
  // call if its step was cancelled before: then neither function runs, and the caller must end it. Otherwise returns
  // end(). REQUIRES: `cancel` lives until the call has ended.
  template <class Serve, class OnCancel>
  Iterator Add(Call call, CancelToken& cancel, Serve serve, OnCancel on_cancel) {
    const uint64_t id = next_++;
    const bool too_late = cancel.cancelled();
    waiters_.emplace_hint(waiters_.end(), id, WaitingCall{std::move(call), &cancel});
    if (!too_late) serve(id);
    const Iterator it = waiters_.find(id);
    if (it == waiters_.end() || too_late) return it;
    it->second.cancel_id = cancel.Register([id, on_cancel = std::move(on_cancel)] { on_cancel(id); });
    return it->second.cancel_id == 0 ? it : waiters_.end();
  }
  // Ends a call: moves it to `ended` and returns the one behind it.
  Iterator End(Iterator it, Status status, std::vector<Ended>& ended) {
    ended.push_back({std::move(it->second), std::move(status)});
    return waiters_.erase(it);
  }
  Iterator Find(uint64_t id) { return waiters_.find(id); }
  bool empty() const { return waiters_.empty(); }
  Iterator begin() { return waiters_.begin(); }
  Iterator end() { return waiters_.end(); }
  auto begin() const { return waiters_.begin(); }
  auto end() const { return waiters_.end(); }

  // Runs the callbacks of calls that have ended. REQUIRES: the lock is not held, because CancelToken::Unregister blocks
  // until a running cancel callback returns, and that callback takes the lock.
  static void RunCallbacks(std::vector<Ended> ended) {
    for (Ended& end : ended) {
      if (end.waiter.cancel_id != 0) end.waiter.cancel->Unregister(end.waiter.cancel_id);
      end.waiter.call.Finish(std::move(end.status));
    }
  }

  // Runs `change(ended)`, which may end calls, with the lock `mu` held, and then their callbacks without it.
  template <class Change>
  static void Update(std::mutex& mu, Change change) {
    std::vector<Ended> ended;
    {
      std::lock_guard lock(mu);
      change(ended);
    }
    RunCallbacks(std::move(ended));
  }

 private:
  uint64_t next_ = 0;
  WaitingCalls waiters_;
};

}  // namespace weir::ops

// CancelToken: cancels a step. Ops that wait register a callback; Cancel runs each callback once. Thread-safe.
#ifndef WEIR_OP_CANCEL_H_
#define WEIR_OP_CANCEL_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "weir/base/status.h"

namespace weir {

class CancelToken final {
 public:
  using Id = uint64_t;
  CancelToken() = default;
  CancelToken(const CancelToken&) = delete;
  CancelToken& operator=(const CancelToken&) = delete;

  // Sets the reason and runs the callbacks on this thread. No-op if already cancelled: the first reason wins.
  void Cancel(Status reason);
  bool cancelled() const;
  Status reason() const;  // OK while not cancelled

  // Returns an id for Unregister, or 0 if already cancelled: then the callback never runs.
  Id Register(std::function<void()> callback);
  // Removes the callback. Blocks while the callback runs on another thread, so after the return it is not running and
  // never will. Does not block when called from the callback itself. False if the callback has run or is running.
  bool Unregister(Id id);

 private:
  mutable std::mutex mu_;
  std::condition_variable finished_;
  Status reason_;
  Id next_ = 1;
  Id running_ = 0;  // the callback that is running on running_thread_
  std::thread::id running_thread_;
  std::map<Id, std::function<void()>> callbacks_;  // in the order of registration
  std::atomic<bool> cancelled_{false};
};

}  // namespace weir

#endif  // WEIR_OP_CANCEL_H_

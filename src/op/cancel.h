// CancelToken: how a step is told to stop. Waiting ops register a callback; Cancel runs each once. Thread-safe.
#ifndef WEIR_OP_CANCEL_H_
#define WEIR_OP_CANCEL_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "base/status.h"

namespace weir {

class CancelToken final {
 public:
  using Id = uint64_t;
  CancelToken() = default;
  CancelToken(const CancelToken&) = delete;
  CancelToken& operator=(const CancelToken&) = delete;

  // Marks the token with the reason (the first wins) and runs the callbacks, on this thread.
  void Cancel(Status reason);
  bool cancelled() const;
  Status reason() const;  // OK while not cancelled

  // Returns 0 when already cancelled (the callback will not run); otherwise an id for Unregister.
  Id Register(std::function<void()> callback);
  // After it returns the callback neither runs nor will run, unless called from the callback itself.
  // False when the callback has run (or runs).
  bool Unregister(Id id);

 private:
  mutable std::mutex mu_;
  std::condition_variable finished_;
  Status reason_;
  Id next_ = 1;
  Id running_ = 0;  // the callback that runs now, on running_thread_
  std::thread::id running_thread_;
  std::map<Id, std::function<void()>> callbacks_;  // run in the order of registration
  std::atomic<bool> cancelled_{false};
};

}  // namespace weir

#endif  // WEIR_OP_CANCEL_H_

// Alarms: one-shot timers. Thread-safe. An interface, so that the simulated network can supply its own time.
// ThreadAlarms is the production implementation.
#ifndef WEIR_BASE_ALARMS_H_
#define WEIR_BASE_ALARMS_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "base/clock.h"

namespace weir {

inline constexpr int64_t kNanosPerMilli = 1'000'000;

class Alarms {
 public:
  using Id = uint64_t;
  virtual ~Alarms() = default;
  // Runs `callback` once, `nanos` from now. All alarms share one thread: `callback` must not block.
  virtual Id After(int64_t nanos, std::function<void()> callback) = 0;
  // Cancels the alarm; no-op if it has already run. Blocks while the callback runs on another thread, so after the
  // return the callback is not running and never will. Does not block when called from the callback itself.
  virtual void Cancel(Id id) = 0;
};

// Runs all callbacks on one thread, started by the first alarm. The destructor drops pending alarms and waits for the
// callback that is running.
class ThreadAlarms final : public Alarms {
 public:
  explicit ThreadAlarms(Clock& clock) : clock_(clock) {}
  ~ThreadAlarms() override;
  ThreadAlarms(const ThreadAlarms&) = delete;
  ThreadAlarms& operator=(const ThreadAlarms&) = delete;

  Id After(int64_t nanos, std::function<void()> callback) override;
  void Cancel(Id id) override;

 private:
  void Run();

  Clock& clock_;
  std::mutex mu_;
  std::condition_variable changed_;
  std::condition_variable callback_done_;
  bool stopped_ = false;
  Id next_ = 1;
  Id running_ = 0;
  std::map<std::pair<int64_t, Id>, std::function<void()>> due_;  // keyed by due time, then id
  std::map<Id, int64_t> times_;
  std::thread thread_;
};

}  // namespace weir

#endif  // WEIR_BASE_ALARMS_H_

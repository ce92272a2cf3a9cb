// Alarms: functions that run at a later time. Thread-safe. An interface, so that a simulation keeps the time;
// ThreadAlarms is the real thing.
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
  // The function must be quick.
  virtual Id After(int64_t nanos, std::function<void()> ring) = 0;
  // After it returns the function neither runs nor will run, unless called from the function itself.
  virtual void Drop(Id id) = 0;
};

// One thread runs them all; it starts with the first. The destructor drops what has not rung and waits for the one that
// runs.
class ThreadAlarms final : public Alarms {
 public:
  explicit ThreadAlarms(Clock& clock) : clock_(clock) {}
  ~ThreadAlarms() override;
  ThreadAlarms(const ThreadAlarms&) = delete;
  ThreadAlarms& operator=(const ThreadAlarms&) = delete;

  Id After(int64_t nanos, std::function<void()> ring) override;
  void Drop(Id id) override;

 private:
  void Run();

  Clock& clock_;
  std::mutex mu_;
  std::condition_variable changed_;
  std::condition_variable rung_;
  bool stopped_ = false;
  Id next_ = 1;
  Id running_ = 0;
  std::map<std::pair<int64_t, Id>, std::function<void()>> due_;  // by time
  std::map<Id, int64_t> times_;
  std::thread thread_;
};

}  // namespace weir

#endif  // WEIR_BASE_ALARMS_H_

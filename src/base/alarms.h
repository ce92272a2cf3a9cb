// Alarms: functions that run at a later time, on one thread that starts with the first of them. Thread-safe. The
// functions must be quick. The destructor drops what has not rung and waits for the one that runs.
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

class Alarms final {
 public:
  using Id = uint64_t;
  explicit Alarms(Clock& clock) : clock_(clock) {}
  ~Alarms();
  Alarms(const Alarms&) = delete;
  Alarms& operator=(const Alarms&) = delete;

  Id After(int64_t nanos, std::function<void()> ring);
  // After it returns the function neither runs nor will run, unless called from the function itself.
  void Drop(Id id);

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

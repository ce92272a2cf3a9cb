// ThreadPool: a fixed set of workers that run closures, and a ParallelFor that splits a range over them. Thread-safe.
// The caller of ParallelFor takes part in the work, so it never waits for a busy pool and may itself be a worker.
// Threads start with the first Schedule or ParallelFor. The destructor runs all queued work and joins the threads.
#ifndef WEIR_BASE_THREAD_POOL_H_
#define WEIR_BASE_THREAD_POOL_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/function_ref.h"

namespace weir {

// Runs the given closure once, now or later, on any thread.
using Runner = std::function<void(std::function<void()>)>;

class ThreadPool final {
 public:
  // num_threads <= 0: UsableCores().
  ThreadPool(std::string name, int num_threads);
  // A pool without threads: Schedule passes work to `runner`, and ParallelFor runs on its caller.
  explicit ThreadPool(Runner runner);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int num_threads() const;
  void Schedule(std::function<void()> work);
  // Whether no work is queued or running. Blocks up to `within` for that.
  bool IsIdle(std::chrono::milliseconds within) const;

  // Calls work(begin, end) over disjoint ranges that cover [0, total) and returns when all are done. `cost_per_unit` is
  // in nanoseconds, roughly: ranges too cheap to be worth a thread run on the caller. If `work` throws, rethrows the
  // first exception after all started ranges have ended.
  void ParallelFor(int64_t total, int64_t cost_per_unit, FunctionRef<void(int64_t, int64_t)> work);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

// ElasticPool: threads for work that may block (readers, queue waits, Python functions, saving). Starts a thread when
// all are busy; idle threads end after a while. Thread-safe. The destructor waits for all scheduled work, but drops
// timers that are not due.
class ElasticPool final {
 public:
  explicit ElasticPool(std::string name);
  explicit ElasticPool(Runner runner);  // a pool without threads: Schedule passes work to `runner`
  ~ElasticPool();
  ElasticPool(const ElasticPool&) = delete;
  ElasticPool& operator=(const ElasticPool&) = delete;
  void Schedule(std::function<void()> work);

  // Due time and sequence number.
  using TimerId = std::pair<std::chrono::steady_clock::time_point, uint64_t>;
  // Schedules `work` after a delay. REQUIRES: has_threads().
  TimerId ScheduleAfter(std::chrono::milliseconds delay, std::function<void()> work);
  // Cancels a timer. False if its work has been scheduled already or the timer was cancelled before.
  bool Unschedule(TimerId id);
  // False if the pool was constructed with a Runner.
  bool has_threads() const;
  // Whether no work is queued or running; pending timers do not count. Blocks up to `within` for that.
  bool IsIdle(std::chrono::milliseconds within) const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

// The number of cores that this process may use: the smaller of CPU affinity and cgroup quota, at least 1.
int UsableCores();

}  // namespace weir

#endif  // WEIR_BASE_THREAD_POOL_H_

// ThreadPool: a fixed set of workers that run closures, and a ParallelFor that splits a range over them.
// The calling thread of ParallelFor takes part in the work, so it never waits for a pool that is busy
// and may itself be a worker. Threads start with the first Schedule and are joined by the destructor.
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

// Runs what it is given once, now or later, on a thread of its choice.
using Runner = std::function<void(std::function<void()>)>;

class ThreadPool final {
 public:
  // num_threads <= 0: as many as the process may really use.
  ThreadPool(std::string name, int num_threads);
  // Without threads: what is scheduled goes to the runner, and a ParallelFor stays on its caller.
  explicit ThreadPool(Runner runner);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int num_threads() const;
  void Schedule(std::function<void()> work);
  // Whether nothing runs or waits to run, now or within the time.
  bool IsIdle(std::chrono::milliseconds within) const;

  // Calls work(begin, end) over disjoint ranges that cover [0, total) and returns when all are done.
  // cost_per_unit is in nanoseconds, roughly: ranges too cheap to be worth a thread stay on the caller.
  void ParallelFor(int64_t total, int64_t cost_per_unit, FunctionRef<void(int64_t, int64_t)> work);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

// Threads for work that may block (readers, queue waits, Python functions, saving): one is started when all
// are busy, and idle ones end after a while. The destructor waits for the work that runs.
class ElasticPool final {
 public:
  explicit ElasticPool(std::string name);
  explicit ElasticPool(Runner runner);  // without threads: what is scheduled goes to the runner
  ~ElasticPool();
  ElasticPool(const ElasticPool&) = delete;
  ElasticPool& operator=(const ElasticPool&) = delete;
  void Schedule(std::function<void()> work);

  // When it is due, and a number.
  using TimerId = std::pair<std::chrono::steady_clock::time_point, uint64_t>;
  // Schedules `work` after a delay. REQUIRES: threads.
  TimerId ScheduleAfter(std::chrono::milliseconds delay, std::function<void()> work);
  // True when the work will not run any more; false when it was scheduled already.
  bool Unschedule(TimerId id);
  // False: the pool was made with a runner.
  bool has_threads() const;
  // Whether nothing runs or waits to run, now or within the time.
  bool IsIdle(std::chrono::milliseconds within) const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

// The number of cores that this process may use: the smallest of affinity and cgroup quota, at least 1.
int UsableCores();

}  // namespace weir

#endif  // WEIR_BASE_THREAD_POOL_H_

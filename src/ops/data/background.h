// BackgroundTask: work that an iterator does between calls of GetNext. Each Wake schedules one run of `work` on the
// pool of blocking threads; runs do not overlap, and no thread waits between them. The destructor blocks until a
// running `work` returns, so the owner must tell it to stop first.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>

#include "base/thread_pool.h"
#include "op/kernel.h"

namespace weir::ops {

// Returns whether background work is possible. It is not in a simulation, which runs everything on one thread to be
// reproducible; there iterators work inside of GetNext.
inline bool HasThreads(const StepContext& step) {
  return step.blocking_pool != nullptr && step.pool != nullptr && step.pool->num_threads() > 0;
}

class BackgroundTask final {
 public:
  BackgroundTask(ElasticPool& pool, std::function<void()> work) : pool_(pool), work_(std::move(work)) {}
  ~BackgroundTask() {
    std::unique_lock lock(mu_);
    stopped_ = true;
    idle_.wait(lock, [this] { return !running_; });
  }
  BackgroundTask(const BackgroundTask&) = delete;
  BackgroundTask& operator=(const BackgroundTask&) = delete;

  void Wake() {
    {
      std::lock_guard lock(mu_);
      wanted_ = true;
      if (running_ || stopped_) return;
      running_ = true;
    }
    pool_.Schedule([this] { Run(); });
  }

 private:
  void Run() {
    std::unique_lock lock(mu_);
    while (wanted_ && !stopped_) {
      wanted_ = false;
      lock.unlock();
      work_();
      lock.lock();
    }
    running_ = false;
    idle_.notify_all();
  }

  ElasticPool& pool_;
  const std::function<void()> work_;
  std::mutex mu_;
  std::condition_variable idle_;
  bool wanted_ = false;
  bool running_ = false;
  bool stopped_ = false;
};

}  // namespace weir::ops

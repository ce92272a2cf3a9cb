// BackgroundTask: work that an iterator has done between its calls. Each Wake has `work` run once more on the pool of
// threads that may wait, one run at a time; no thread waits between runs. The destructor waits for a run that goes on,
// so whoever owns a task tells its work to stop first.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>

#include "base/thread_pool.h"
#include "op/kernel.h"

namespace weir::ops {

// Whether work may go on beside a wait for it. Where it may not (a simulation runs all on one thread, so that it can be
// repeated), iterators work when they are asked.
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

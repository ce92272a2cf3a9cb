// One queue with one mutex serves all workers: an uncontended lock costs about 20 ns, and work items are coarse enough.
// A worker is notified only if one is asleep that has not been notified yet.
#include "base/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <exception>
#include <list>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/cgroup.h"
#include "base/log.h"
#include "base/out_of_memory.h"

namespace weir {
namespace {

constexpr int64_t kBlockNanos = 50'000;
constexpr int64_t kBlocksPerThread = 4;
constexpr std::chrono::seconds kIdleTime(10);

// Starts a thread that blocks process-directed signals, so that they reach the thread that handles them (in Python,
// the main thread). Returns an empty std::thread if the system cannot create more threads.
template <class F>
std::thread StartThread(const std::string& name, F body) {
  sigset_t blocked;
  sigset_t before;
  sigfillset(&blocked);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGPROF}) sigdelset(&blocked, fault);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  std::thread thread;
  try {
    thread = std::thread(std::move(body));
    pthread_setname_np(thread.native_handle(), name.substr(0, 15).c_str());
  } catch (const std::system_error& error) {
    LogWarning("cannot start a thread of the pool '{}': {}", name, error.what());
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

// Work reports its errors itself. An exception means that it could not, for lack of memory; waiters then learn of the
// failure from the destruction of the closure.
void RunGuarded(std::function<void()>& work) {
  try {
    work();
  } catch (...) {
    LogCurrentException("work of a thread pool");
  }
  work = nullptr;
}

// Polls, because it is used only when a process exits and so workers need no code to notify a waiter.
template <class Idle>
bool BecomesIdle(std::mutex& mutex, std::chrono::milliseconds within, Idle idle) {
  const auto end = std::chrono::steady_clock::now() + within;
  while (true) {
    {
      std::lock_guard lock(mutex);
      if (idle()) return true;
    }
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

// Shared by the caller of a ParallelFor and its helpers. A helper may start after the caller has returned: it finds no
// blocks left and does not touch `work`.
struct LoopState {
  LoopState(int64_t total, int64_t block, int32_t blocks, FunctionRef<void(int64_t, int64_t)> work)
      : total(total), block(block), blocks(blocks), remaining(blocks), work(work) {}

  void RunBlocks() {
    for (;;) {
      const int32_t i = next.fetch_add(1, std::memory_order_relaxed);
      if (i >= blocks) return;
      const int64_t begin = i * block;
      try {
        if (!failed.load(std::memory_order_relaxed)) work(begin, std::min(begin + block, total));
      } catch (...) {
        if (!failed.exchange(true, std::memory_order_relaxed)) error = std::current_exception();
      }
      if (remaining.fetch_sub(1, std::memory_order_acq_rel) == 1) remaining.notify_all();
    }
  }
  void WaitForAll() {
    for (int32_t left; (left = remaining.load(std::memory_order_acquire)) != 0;) {
      remaining.wait(left, std::memory_order_acquire);
    }
    if (error != nullptr) std::rethrow_exception(error);
  }

  const int64_t total;
  const int64_t block;
  const int32_t blocks;
  std::atomic<int32_t> next{0};
  std::atomic<int32_t> remaining;
  std::atomic<bool> failed{false};
  std::exception_ptr error;  // the first one; the caller of the loop throws it
  const FunctionRef<void(int64_t, int64_t)> work;
};

}  // namespace

struct ThreadPool::Impl : std::enable_shared_from_this<ThreadPool::Impl> {
  Impl(std::string name, int num_threads, Runner runner)
      : name(std::move(name)), num_threads(num_threads), runner(std::move(runner)) {}

  // True if at least one worker runs.
  bool StartThreads() {
    if (started) return has_workers;
    started = true;
    for (int i = 0; i < num_threads; ++i) {
      std::thread thread = StartThread(name, [self = shared_from_this()] { self->Work(); });
      if (!thread.joinable()) break;
      threads.push_back(std::move(thread));
    }
    has_workers = !threads.empty();
    return has_workers;
  }

  void Work() {
    std::unique_lock lock(mutex);
    for (;;) {
      while (queue.empty()) {
        if (stop) return;
        ++sleeping;
        wake.wait(lock);
        --sleeping;
        if (waking > 0) --waking;
      }
      std::function<void()> work = std::move(queue.front());
      queue.pop_front();
      lock.unlock();
      RunGuarded(work);
      lock.lock();
    }
  }

  // Returns how many workers to notify to run `wanted` items. REQUIRES: the mutex is held.
  int CountToWake(int wanted) {
    const int count = std::min(wanted, sleeping - waking);
    if (count <= 0) return 0;
    waking += count;
    return count;
  }

  void Schedule(std::function<void()> work) {
    if (runner) return runner(std::move(work));
    std::unique_lock lock(mutex);
    if (!StartThreads()) {  // no threads available: run on the caller
      lock.unlock();
      RunGuarded(work);
      return;
    }
    queue.push_back(std::move(work));
    const bool notify = CountToWake(1) > 0;
    lock.unlock();
    if (notify) wake.notify_one();
  }

  // Helpers go to the front of the queue, because the caller of the loop waits for them.
  void AddHelpers(const std::shared_ptr<LoopState>& loop, int count) {
    int notify;
    {
      std::lock_guard lock(mutex);
      if (!StartThreads()) return;
      for (int i = 0; i < count; ++i) queue.emplace_front([loop] { loop->RunBlocks(); });
      notify = CountToWake(count);
    }
    for (int i = 0; i < notify; ++i) wake.notify_one();
  }

  const std::string name;
  const int num_threads;
  const Runner runner;  // if empty, the pool has threads of its own
  std::mutex mutex;
  std::condition_variable wake;
  std::deque<std::function<void()>> queue;
  std::vector<std::thread> threads;
  int sleeping = 0;  // workers inside wait()
  int waking = 0;    // number of threads in `sleeping` that were notified but are still inside wait()
  bool started = false;
  bool has_workers = false;
  bool stop = false;
};

ThreadPool::ThreadPool(std::string name, int num_threads)
    : impl_(std::make_shared<Impl>(std::move(name), num_threads > 0 ? num_threads : UsableCores(), nullptr)) {}

ThreadPool::ThreadPool(Runner runner) : impl_(std::make_shared<Impl>("", 0, std::move(runner))) {}

ThreadPool::~ThreadPool() {
  std::vector<std::thread> threads;
  {
    std::lock_guard lock(impl_->mutex);
    impl_->stop = true;
    threads.swap(impl_->threads);
  }
  impl_->wake.notify_all();
  for (std::thread& thread : threads) {
    if (thread.get_id() == std::this_thread::get_id()) {
      thread.detach();  // the pool is destroyed by its own work; the worker keeps Impl alive
    } else {
      thread.join();
    }
  }
}

int ThreadPool::num_threads() const { return impl_->num_threads; }

void ThreadPool::Schedule(std::function<void()> work) { impl_->Schedule(std::move(work)); }

bool ThreadPool::IsIdle(std::chrono::milliseconds within) const {
  return BecomesIdle(impl_->mutex, within, [this] {
    return impl_->queue.empty() && static_cast<size_t>(impl_->sleeping - impl_->waking) == impl_->threads.size();
  });
}

void ThreadPool::ParallelFor(int64_t total, int64_t cost_per_unit, FunctionRef<void(int64_t, int64_t)> work) {
  if (total <= 0) return;
  const double cost = static_cast<double>(total) * static_cast<double>(std::max<int64_t>(cost_per_unit, 1));
  const int64_t worthwhile = static_cast<int64_t>(std::min(cost / kBlockNanos, 1e9));
  const int64_t wanted = std::min({worthwhile, kBlocksPerThread * impl_->num_threads, total});
  if (wanted <= 1 || impl_->num_threads <= 1) {
    work(0, total);
    return;
  }
  const int64_t block = (total - 1) / wanted + 1;
  const auto blocks = static_cast<int32_t>((total - 1) / block + 1);
  auto loop = std::make_shared<LoopState>(total, block, blocks, work);
  impl_->AddHelpers(loop, std::min(blocks, impl_->num_threads) - 1);
  loop->RunBlocks();
  loop->WaitForAll();
}

struct ElasticPool::Impl : std::enable_shared_from_this<ElasticPool::Impl> {
  Impl(std::string name, Runner runner) : name(std::move(name)), runner(std::move(runner)) {}

  void Work(std::list<std::thread>::iterator self) {
    std::unique_lock lock(mutex);
    for (;;) {
      if (queue.empty()) {
        if (stop) break;
        ++idle;
        const bool work_came = wake.wait_for(lock, kIdleTime, [&] { return !queue.empty() || stop; });
        --idle;
        if (!work_came) break;
        continue;
      }
      std::function<void()> work = std::move(queue.front());
      queue.pop_front();
      lock.unlock();
      RunGuarded(work);
      lock.lock();
    }
    finished.splice(finished.end(), running, self);
    ended.notify_all();
  }

  void Schedule(std::function<void()> work) {
    if (runner) return runner(std::move(work));
    std::unique_lock lock(mutex);
    queue.push_back(std::move(work));
    if (static_cast<int>(queue.size()) <= idle) {
      lock.unlock();
      wake.notify_one();
      return;
    }
    std::list<std::thread> to_join = std::move(finished);
    finished.clear();
    running.emplace_back();
    const auto self = std::prev(running.end());
    *self = StartThread(name, [pool = shared_from_this(), self] { pool->Work(self); });
    if (!self->joinable()) {
      running.erase(self);
      if (running.empty()) {  // no other thread will run it
        std::function<void()> own = std::move(queue.back());
        queue.pop_back();
        lock.unlock();
        RunGuarded(own);
      }
    }
    if (lock.owns_lock()) lock.unlock();
    for (std::thread& thread : to_join) thread.join();
  }

  // Waits for timers and schedules them when due. Runs as work of the pool; ends when no timer is left.
  void RunTimers() {
    std::unique_lock lock(mutex);
    while (!timers.empty() && !stop) {
      const auto first = timers.begin();
      if (const auto due = first->first.first; due > std::chrono::steady_clock::now()) {
        timers_changed.wait_until(lock, due);
        continue;
      }
      std::function<void()> work = std::move(first->second);
      timers.erase(first);
      lock.unlock();
      Schedule(std::move(work));
      lock.lock();
    }
    timing = false;
  }

  TimerId ScheduleAfter(std::chrono::milliseconds delay, std::function<void()> work) {
    std::unique_lock lock(mutex);
    const TimerId id(std::chrono::steady_clock::now() + delay, next_timer++);
    timers.emplace(id, std::move(work));
    if (timing) {
      timers_changed.notify_one();
      return id;
    }
    timing = true;
    lock.unlock();
    Schedule([this] { RunTimers(); });
    return id;
  }

  bool Unschedule(TimerId id) {
    std::function<void()> dropped;  // destroyed after the lock is released
    std::lock_guard lock(mutex);
    const auto it = timers.find(id);
    if (it == timers.end()) return false;
    dropped = std::move(it->second);
    timers.erase(it);
    return true;
  }

  const std::string name;
  const Runner runner;  // if empty, the pool has threads of its own
  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable ended;
  std::condition_variable timers_changed;
  std::map<TimerId, std::function<void()>> timers;
  uint64_t next_timer = 1;
  bool timing = false;  // RunTimers is scheduled or runs
  std::deque<std::function<void()>> queue;
  std::list<std::thread> running;
  std::list<std::thread> finished;  // ended, to be joined
  int idle = 0;
  bool stop = false;
};

ElasticPool::ElasticPool(std::string name) : impl_(std::make_shared<Impl>(std::move(name), nullptr)) {}

ElasticPool::ElasticPool(Runner runner) : impl_(std::make_shared<Impl>("", std::move(runner))) {}

ElasticPool::~ElasticPool() {
  std::unique_lock lock(impl_->mutex);
  impl_->stop = true;
  impl_->wake.notify_all();
  impl_->timers_changed.notify_all();
  const auto is_self = [](const std::thread& thread) { return thread.get_id() == std::this_thread::get_id(); };
  const bool inside = std::any_of(impl_->running.begin(), impl_->running.end(), is_self);
  impl_->ended.wait(lock, [&] { return impl_->running.size() == (inside ? 1u : 0u); });
  for (std::thread& thread : impl_->running) thread.detach();  // only the current thread, which keeps Impl alive
  std::list<std::thread> to_join = std::move(impl_->finished);
  lock.unlock();
  for (std::thread& thread : to_join) thread.join();
}

void ElasticPool::Schedule(std::function<void()> work) { impl_->Schedule(std::move(work)); }

ElasticPool::TimerId ElasticPool::ScheduleAfter(std::chrono::milliseconds delay, std::function<void()> work) {
  return impl_->ScheduleAfter(delay, std::move(work));
}

bool ElasticPool::Unschedule(TimerId id) { return impl_->Unschedule(id); }

bool ElasticPool::IsIdle(std::chrono::milliseconds within) const {
  return BecomesIdle(impl_->mutex, within, [this] {
    const size_t timing = impl_->timing ? 1 : 0;  // the thread in RunTimers counts as idle
    return impl_->queue.empty() && static_cast<size_t>(impl_->idle) + timing >= impl_->running.size();
  });
}

bool ElasticPool::has_threads() const { return !impl_->runner; }

int UsableCores() {
  int cores = 0;
  for (int size = 1024; size <= 1 << 20 && cores == 0; size *= 2) {
    cpu_set_t* set = CPU_ALLOC(size);
    if (set == nullptr) break;
    if (sched_getaffinity(0, CPU_ALLOC_SIZE(size), set) == 0) cores = CPU_COUNT_S(CPU_ALLOC_SIZE(size), set);
    CPU_FREE(set);
  }
  if (cores <= 0) cores = static_cast<int>(std::thread::hardware_concurrency());
  if (const double quota = CpuQuota(); quota > 0) cores = std::min(cores, static_cast<int>(std::ceil(quota)));
  return std::max(cores, 1);
}

}  // namespace weir

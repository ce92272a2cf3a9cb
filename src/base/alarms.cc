#include "base/alarms.h"

#include <pthread.h>

#include <chrono>

#include "base/out_of_memory.h"

namespace weir {

ThreadAlarms::~ThreadAlarms() {
  {
    std::lock_guard lock(mu_);
    stopped_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

Alarms::Id ThreadAlarms::After(int64_t nanos, std::function<void()> callback) {
  std::lock_guard lock(mu_);
  const int64_t time = clock_.MonotonicNanos() + nanos;
  const Id id = next_++;
  due_.emplace(std::pair(time, id), std::move(callback));
  times_.emplace(id, time);
  if (!thread_.joinable()) {
    thread_ = std::thread([this] { Run(); });
    pthread_setname_np(thread_.native_handle(), "weir_alarms");
  }
  if (due_.begin()->first.second == id) changed_.notify_all();
  return id;
}

void ThreadAlarms::Cancel(Id id) {
  std::function<void()> dropped;  // destroyed after the lock is released
  std::unique_lock lock(mu_);
  if (auto it = times_.find(id); it != times_.end()) {
    auto entry = due_.find({it->second, id});
    dropped = std::move(entry->second);
    due_.erase(entry);
    times_.erase(it);
  } else if (running_ == id && std::this_thread::get_id() != thread_.get_id()) {
    callback_done_.wait(lock, [&] { return running_ != id; });
  }
  lock.unlock();
}

void ThreadAlarms::Run() {
  std::unique_lock lock(mu_);
  while (!stopped_) {
    if (due_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const auto first = due_.begin();
    const int64_t left = first->first.first - clock_.MonotonicNanos();
    if (left > 0) {
      changed_.wait_for(lock, std::chrono::nanoseconds(left));
      continue;
    }
    std::function<void()> callback = std::move(first->second);
    running_ = first->first.second;
    times_.erase(running_);
    due_.erase(first);
    lock.unlock();
    try {
      callback();
    } catch (...) {
      LogCurrentException("an alarm");
    }
    callback = nullptr;
    lock.lock();
    running_ = 0;
    callback_done_.notify_all();
  }
}

}  // namespace weir

// HostLoop: waits until sockets can be read or written again, and tells who watches them. Thread-safe.
#pragma once

#include <sys/epoll.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "cluster/event_threads.h"
#include "cluster/host/host_socket.h"

namespace weir {

class HostLoop final {
 public:
  class Watcher {
   public:
    virtual ~Watcher() = default;
    // Called as long as there is something to read, or to write where that is watched; by several threads at a time
    // when one of them is kept for long.
    virtual void Ready(bool readable, bool writable) = 0;
  };
  using Id = uint64_t;

  HostLoop();
  ~HostLoop();

  Id NewId() { return next_++; }
  // Kept until Remove.
  void Add(Id id, int fd, std::shared_ptr<Watcher> watcher);
  void WatchWrites(Id id, int fd, bool on);
  void Remove(Id id, int fd);
  // Runs it on a thread of the loop, soon; not at all where the loop ends before.
  void Post(std::function<void()> work);
  // As those of EventThreads.
  void RunFor(size_t bytes, std::function<void()> work) { threads_->RunFor(bytes, std::move(work)); }
  void Look() { threads_->Look(); }

 private:
  EventThreads::Next Next(int timeout_ms, std::function<void()>* handle);
  bool Wait(epoll_event* event);

  static constexpr int64_t kLongAgo = int64_t{1} << 62;

  const OwnedFd epoll_;
  const OwnedFd end_;     // can be read when it ends
  const OwnedFd posted_;  // can be read as often as something was posted
  std::atomic<Id> next_{2};
  std::mutex mu_;
  std::unordered_map<Id, std::shared_ptr<Watcher>> watchers_;
  std::deque<std::function<void()>> posts_;
  int64_t last_wait_nanos_ = kLongAgo;  // of the one thread that waits without a timeout
  std::unique_ptr<EventThreads> threads_;
};

}  // namespace weir

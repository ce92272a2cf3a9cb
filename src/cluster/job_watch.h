// JobWatch: reports when all tasks of some jobs have ended, for a server that ends with them. A task ends when its
// server is stopped. A task that was killed, or whose program failed, has not ended: it is expected to be restarted. An
// ended task that starts again no longer counts as ended. Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/alarms.h"
#include "cluster/peers.h"

namespace weir {

class JobWatch final : public std::enable_shared_from_this<JobWatch> {
 public:
  // InvalidArgument if the cluster lacks a job of `jobs`, which are separated by commas, or if they have no task
  // besides that of `peers`. `all_ended` runs at most once, on any thread; it must not block or call this object.
  static Result<std::shared_ptr<JobWatch>> Make(const std::string& jobs, std::shared_ptr<Peers> peers, Alarms& alarms,
                                                std::function<void()> all_ended);
  void Start();
  // Ends the watch: afterwards `alarms` and `all_ended` are not used.
  void Stop();

 private:
  JobWatch(std::shared_ptr<Peers> peers, Alarms& alarms, std::function<void()> all_ended)
      : peers_(std::move(peers)), alarms_(alarms), all_ended_(std::move(all_ended)) {}
  void WaitForStart(const std::string& task);
  void WaitForEnd(const std::string& task);
  void TryLater(const std::string& task);
  void NoteEnd(const std::string& task);

  const std::shared_ptr<Peers> peers_;
  Alarms& alarms_;
  const std::function<void()> all_ended_;
  CancelToken cancel_;
  std::mutex mu_;
  bool stopped_ = false;                   // the alarms and the callback are not used any more
  std::map<std::string, bool> has_ended_;  // by task
};

}  // namespace weir

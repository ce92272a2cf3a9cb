// BestEffortCalls: best-effort calls that tell a task that a step or a session has ended. No code waits for their
// responses. Calls to an unreachable task are kept and retried for some minutes, because the task would otherwise keep
// its state. Thread-safe.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/alarms.h"
#include "cluster/transport.h"

namespace weir {

class BestEffortCalls final : public std::enable_shared_from_this<BestEffortCalls> {
 public:
  using Call = std::function<void(const CallOptions& options, std::function<void(const Status&)> done)>;
  // REQUIRES: `alarms` lives until Stop.
  explicit BestEffortCalls(Alarms& alarms) : alarms_(&alarms) {}
  void Send(const std::string& address, Call call) {
    Try(address, std::make_shared<const Call>(std::move(call)), false);
  }
  // Drops all calls that are waiting for a retry; later failures are not retried.
  void Stop();

 private:
  // The pending calls of an unreachable task. One call at a time is retried; when it succeeds the others follow.
  struct PendingCalls {
    std::deque<std::shared_ptr<const Call>> calls;
    int attempts = 0;
  };
  void Try(const std::string& address, std::shared_ptr<const Call> call, bool again);
  void ScheduleRetry(const std::string& address, std::shared_ptr<const Call> call, bool again);
  void Retry(const std::string& address);

  std::mutex mu_;
  Alarms* alarms_;  // null after Stop
  std::map<std::string, PendingCalls> pending_;
};

}  // namespace weir

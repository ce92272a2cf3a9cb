// SessionTasks: the tasks of a session's cluster: which ones the session may use, their devices, and whether the
// session was created on them. Contacts a task on first use, and retries until it responds. Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/alarms.h"
#include "cluster/best_effort_calls.h"
#include "cluster/peers.h"
#include "proto/config.pb.h"

namespace weir {

// A worker closes a session whose master has not renewed it for this long.
inline constexpr int64_t kSessionLeaseMs = 20'000;

// This task and all others that match one of the filters. All tasks if there are no filters.
std::vector<std::string> AllowedTasks(const Peers& peers, const std::vector<std::string>& device_filters);

class SessionTasks final : public std::enable_shared_from_this<SessionTasks> {
 public:
  using Devices = std::vector<tensorflow::DeviceAttributes>;
  using Done = std::function<void(Status)>;

  // `lease_ms` limits how long other tasks keep the session without a renewal; 0: no limit.
  SessionTasks(std::string handle, tensorflow::ConfigProto config, std::shared_ptr<Peers> peers, Alarms& alarms,
               std::shared_ptr<BestEffortCalls> best_effort, int64_t lease_ms)
      : handle_(std::move(handle)),
        config_(std::move(config)),
        peers_(std::move(peers)),
        alarms_(alarms),
        best_effort_(std::move(best_effort)),
        lease_ms_(lease_ms) {}

  Peers& peers() const { return *peers_; }
  // This task, then the others that the session's device filters allow, sorted by name.
  std::vector<std::string> Allowed() const;
  // Null for a task that has not responded yet.
  std::shared_ptr<const Devices> DevicesOf(const std::string& task) const;
  // True if the task is known to run Weir, not TensorFlow.
  bool IsWeir(const std::string& task) const;
  // Asks a task for its devices until it responds or `cancel`, which must outlive the call, is cancelled. Logs every
  // ten seconds that it is waiting.
  void Ask(const std::string& task, CancelToken* cancel, Done done);
  // The tasks with open requests, by name.
  std::vector<std::string> Awaited() const;
  // Creates the session on a task; a no-op if that was done.
  void Open(const std::string& task, CancelToken* cancel, Done done);
  // Makes a best-effort call to the task (see BestEffortCalls).
  void SendBestEffort(const std::string& task, BestEffortCalls::Call call) {
    best_effort_->Send(peers_->AddressOf(task), std::move(call));
  }
  // Tells the tasks that may know the session that it has ended. Does not wait.
  void Close();

 private:
  void AskAgain(const std::string& task, std::shared_ptr<WorkerService> worker, int64_t waited_ms, CancelToken* cancel,
                Done done);
  tensorflow::CreateWorkerSessionRequest OpenRequest(const std::string& task) const;
  void DeleteWorkerSessionOn(const std::string& task);
  // Renews the session on a task at intervals, until the session is closed or the lease has ended. `failures` is the
  // number of failed attempts since the last success.
  void RenewLater(const std::string& task, int failures);
  void Renew(const std::string& task, int failures);

  const std::string handle_;
  const tensorflow::ConfigProto config_;
  const std::shared_ptr<Peers> peers_;
  Alarms& alarms_;
  const std::shared_ptr<BestEffortCalls> best_effort_;
  const int64_t lease_ms_;
  mutable std::mutex mu_;
  std::map<std::string, std::shared_ptr<const Devices>> devices_;
  std::map<std::string, int> asked_;  // number of callers that wait for a response of the task
  // Tasks that know the session, or may know it.
  struct Opened {
    bool confirmed = false;
    int asking = 0;  // calls without a response
  };
  std::map<std::string, Opened> opened_;
  bool closed_ = false;
};

}  // namespace weir

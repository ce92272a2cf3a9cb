// SessionTasks: what a session knows of the tasks of its cluster: which it may use, what devices they have, and whether
// they know the session. Asks a task when it is first needed, and waits until it answers. Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/alarms.h"
#include "cluster/farewells.h"
#include "cluster/peers.h"
#include "proto/config.pb.h"

namespace weir {

// The own task, and those others that one of the filters matches: all, where there are none.
std::vector<std::string> AllowedTasks(const Peers& peers, const std::vector<std::string>& device_filters);

class SessionTasks final : public std::enable_shared_from_this<SessionTasks> {
 public:
  using Devices = std::vector<tensorflow::DeviceAttributes>;
  using Done = std::function<void(Status)>;

  SessionTasks(std::string handle, tensorflow::ConfigProto config, std::shared_ptr<Peers> peers, Alarms& alarms,
               std::shared_ptr<Farewells> farewells)
      : handle_(std::move(handle)),
        config_(std::move(config)),
        peers_(std::move(peers)),
        alarms_(alarms),
        farewells_(std::move(farewells)) {}

  Peers& peers() const { return *peers_; }
  // The own task first, then the others that the session's device filters allow, by name.
  std::vector<std::string> Allowed() const;
  // Null for a task that has not been asked yet.
  std::shared_ptr<const Devices> DevicesOf(const std::string& task) const;
  // Whether the task is known to run Weir, not TensorFlow.
  bool IsWeir(const std::string& task) const;
  // Asks for the devices of a task until it answers or `cancel`, which outlives the call, says stop; says every ten
  // seconds for whom it waits.
  void Ask(const std::string& task, CancelToken* cancel, Done done);
  // Those that have been asked and have not answered, by name.
  std::vector<std::string> Awaited() const;
  // Tells a task of the session, once.
  void Open(const std::string& task, CancelToken* cancel, Done done);
  // Tells the task something whose answer nobody waits for.
  void Say(const std::string& task, Farewells::Call call) { farewells_->Say(peers_->AddressOf(task), std::move(call)); }
  // Tells those that know it that the session has ended, without waiting.
  void Close();

 private:
  void AskAgain(const std::string& task, std::shared_ptr<WorkerService> worker, int64_t waited_ms, CancelToken* cancel,
                Done done);
  tensorflow::CreateWorkerSessionRequest OpenRequest(const std::string& task) const;
  void SayFarewell(const std::string& task);

  const std::string handle_;
  const tensorflow::ConfigProto config_;
  const std::shared_ptr<Peers> peers_;
  Alarms& alarms_;
  const std::shared_ptr<Farewells> farewells_;
  mutable std::mutex mu_;
  std::map<std::string, std::shared_ptr<const Devices>> devices_;
  std::map<std::string, int> asked_;  // how many wait for an answer of that task
  // Tasks that know the session, or may.
  struct Opened {
    bool surely = false;
    int asking = 0;  // calls that have not been answered
  };
  std::map<std::string, Opened> opened_;
  bool closed_ = false;
};

}  // namespace weir

// RemoteSession: a session whose graph runs on a server and its cluster. The master is called over the network, or
// directly if it lives in this process. New nodes are sent before the next step; nothing is sent, and no server waited
// for, before the first step. Thread-safe.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/alarms.h"
#include "cluster/services.h"
#include "cluster/step_caller.h"
#include "proto/config.pb.h"
#include "session/session.h"

namespace weir {

class RemoteSession final : public Session {
 public:
  // If `event_poller` is given, threads that run steps poll it while they wait.
  RemoteSession(std::shared_ptr<Graph> graph, std::shared_ptr<MasterService> master, tensorflow::ConfigProto config,
                std::string target, std::shared_ptr<EventPoller> event_poller = nullptr);
  ~RemoteSession() override;

  Result<std::vector<Tensor>> Run(const RunRequest& request) override;
  // The callable must not outlive the session.
  Result<std::shared_ptr<Callable>> MakeCallable(const std::vector<Output>& feeds, const std::vector<Output>& fetches,
                                                 const std::vector<Node*>& targets) override;
  Result<std::string> PartialRunSetup(const std::vector<Output>& feeds, const std::vector<Output>& fetches,
                                      const std::vector<Node*>& targets, CancelToken* cancel = nullptr) override;
  Result<std::vector<Tensor>> PartialRun(const std::string& handle, const std::vector<Feed>& feeds,
                                         const std::vector<Output>& fetches, CancelToken* cancel = nullptr) override;
  Result<std::vector<DeviceInfo>> ListDevices(CancelToken* cancel = nullptr) override;
  Result<std::shared_ptr<Session>> NewSessionForGraph(std::shared_ptr<Graph> graph) override;
  Status Close() override;

 private:
  class RemoteCallable;
  class GraphSendLock;
  // Creates the master's session, or extends it by the nodes that are new. Returns the session's handle.
  Result<std::string> SendGraph(CancelToken* cancel, int64_t timeout_ms);
  template <class Response, class Start>
  Result<Response> Ask(const char* what, int64_t timeout_ms, CancelToken* cancel, const Start& start);
  Status Check(const std::vector<Output>& outputs, const std::vector<Node*>& targets) const;
  // Returns the values of `fetches`. `call` has the feeds and targets; the fetches that must be requested are added to
  // it.
  Result<std::vector<Tensor>> RunStep(RunStepCall call, const std::vector<std::string>& fetches,
                                      const tensorflow::RunOptions* options, tensorflow::RunMetadata* metadata,
                                      CancelToken* cancel);
  int64_t TimeoutFor(const tensorflow::RunOptions* options) const;

  const std::shared_ptr<Graph> graph_;
  const std::shared_ptr<MasterService> master_;
  ThreadAlarms alarms_;  // starts a thread only if a connection breaks
  StepCaller steps_;
  const tensorflow::ConfigProto config_;
  const std::string target_;
  const std::shared_ptr<EventPoller> event_poller_;
  CancelToken closed_;
  std::mutex mu_;
  std::condition_variable send_lock_released_;
  bool sending_ = false;  // a thread sends the graph
  std::string handle_;
  int64_t version_ = 0;
  int sent_nodes_ = 0;
};

// Closes all sessions of the master, and clears the given containers, or the default one, on all tasks of its cluster.
Status ResetServer(MasterService& master, const std::vector<std::string>& containers,
                   const tensorflow::ConfigProto& config);

}  // namespace weir

// RemoteSession: a session whose graph runs on a server and the cluster behind it. The master is reached over the
// network, or directly when it lives in this process. Nodes are sent before the first step that may need them. Nothing
// is sent, and nobody waited for, before the first step. Thread-safe.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cluster/services.h"
#include "proto/config.pb.h"
#include "session/session.h"

namespace weir {

class RemoteSession final : public Session {
 public:
  // Threads that run steps wait at `place`, if there is one.
  RemoteSession(std::shared_ptr<Graph> graph, std::shared_ptr<MasterService> master, tensorflow::ConfigProto config,
                std::string target, std::shared_ptr<WaitingPlace> place = nullptr);
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
  Status Close() override;

 private:
  class RemoteCallable;
  class Turn;
  // Makes the master's session, or extends it by what the graph has got since. Gives the session's handle.
  Result<std::string> SendGraph(CancelToken* cancel, int64_t timeout_ms);
  template <class Response, class Start>
  Result<Response> Ask(const char* what, int64_t timeout_ms, CancelToken* cancel, const Start& start);
  Status Check(const std::vector<Output>& outputs, const std::vector<Node*>& targets) const;
  // Gives the values of `fetches`, whichever of them the call, which has its feeds and targets, must ask for.
  Result<std::vector<Tensor>> RunStep(RunStepCall call, const std::vector<std::string>& fetches,
                                      const tensorflow::RunOptions* options, tensorflow::RunMetadata* metadata,
                                      CancelToken* cancel);
  int64_t TimeoutFor(const tensorflow::RunOptions* options) const;

  const std::shared_ptr<Graph> graph_;
  const std::shared_ptr<MasterService> master_;
  const tensorflow::ConfigProto config_;
  const std::string target_;
  const std::shared_ptr<WaitingPlace> place_;
  CancelToken closed_;
  std::mutex mu_;
  std::condition_variable turn_over_;
  bool sending_ = false;  // a thread sends the graph
  std::string handle_;
  int64_t version_ = 0;
  int sent_nodes_ = 0;
};

// Ends all sessions of the server's master and empties the containers (the default one where none is named) of its
// cluster's tasks.
Status ResetServer(MasterService& master, const std::vector<std::string>& containers,
                   const tensorflow::ConfigProto& config);

}  // namespace weir

// The two services of a server as C++ interfaces: what a master does for clients, and what a worker does for masters
// and other workers. They are implemented by the services themselves and by proxies for remote ones. Calls do not
// block. `done` runs exactly once, on any thread, possibly before the call returns.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cluster/transport.h"
#include "cluster/wire.h"

namespace weir {

template <class Response>
using Reply = std::function<void(Result<Response>)>;

class WorkerService {
 public:
  virtual ~WorkerService() = default;
  virtual void GetStatus(tensorflow::GetStatusRequest request, const CallOptions& options,
                         Reply<tensorflow::GetStatusResponse> done) = 0;
  virtual void CreateWorkerSession(tensorflow::CreateWorkerSessionRequest request, const CallOptions& options,
                                   Reply<tensorflow::CreateWorkerSessionResponse> done) = 0;
  virtual void DeleteWorkerSession(tensorflow::DeleteWorkerSessionRequest request, const CallOptions& options,
                                   Reply<tensorflow::DeleteWorkerSessionResponse> done) = 0;
  virtual void RegisterGraph(tensorflow::RegisterGraphRequest request, const CallOptions& options,
                             Reply<tensorflow::RegisterGraphResponse> done) = 0;
  virtual void DeregisterGraph(tensorflow::DeregisterGraphRequest request, const CallOptions& options,
                               Reply<tensorflow::DeregisterGraphResponse> done) = 0;
  virtual void RunGraph(RunGraphCall call, const CallOptions& options, Reply<RunGraphReply> done) = 0;
  virtual void CleanupGraph(tensorflow::CleanupGraphRequest request, const CallOptions& options,
                            Reply<tensorflow::CleanupGraphResponse> done) = 0;
  virtual void CleanupAll(tensorflow::CleanupAllRequest request, const CallOptions& options,
                          Reply<tensorflow::CleanupAllResponse> done) = 0;
  virtual void RecvTensor(tensorflow::RecvTensorRequest request, const CallOptions& options,
                          Reply<RecvTensorReply> done) = 0;
  virtual void Logging(tensorflow::LoggingRequest request, const CallOptions& options,
                       Reply<tensorflow::LoggingResponse> done) = 0;
};

class MasterService {
 public:
  virtual ~MasterService() = default;
  virtual void CreateSession(tensorflow::CreateSessionRequest request, const CallOptions& options,
                             Reply<tensorflow::CreateSessionResponse> done) = 0;
  virtual void ExtendSession(tensorflow::ExtendSessionRequest request, const CallOptions& options,
                             Reply<tensorflow::ExtendSessionResponse> done) = 0;
  virtual void RunStep(RunStepCall call, const CallOptions& options, Reply<RunStepReply> done) = 0;
  virtual void PartialRunSetup(tensorflow::PartialRunSetupRequest request, const CallOptions& options,
                               Reply<tensorflow::PartialRunSetupResponse> done) = 0;
  virtual void CloseSession(tensorflow::CloseSessionRequest request, const CallOptions& options,
                            Reply<tensorflow::CloseSessionResponse> done) = 0;
  virtual void ListDevices(tensorflow::ListDevicesRequest request, const CallOptions& options,
                           Reply<tensorflow::ListDevicesResponse> done) = 0;
  virtual void Reset(tensorflow::ResetRequest request, const CallOptions& options,
                     Reply<tensorflow::ResetResponse> done) = 0;
  virtual void MakeCallable(tensorflow::MakeCallableRequest request, const CallOptions& options,
                            Reply<tensorflow::MakeCallableResponse> done) = 0;
  virtual void RunCallable(RunCallableCall call, const CallOptions& options, Reply<RunCallableReply> done) = 0;
  virtual void ReleaseCallable(tensorflow::ReleaseCallableRequest request, const CallOptions& options,
                               Reply<tensorflow::ReleaseCallableResponse> done) = 0;
};

// Proxies for the services at the other end of a channel. They prefix errors with their origin: the task `who`
// ("/job:ps/replica:0/task:0"), empty if unknown, and the address.
std::shared_ptr<WorkerService> MakeRemoteWorker(std::shared_ptr<Channel> channel, std::string who);
std::shared_ptr<MasterService> MakeRemoteMaster(std::shared_ptr<Channel> channel);
// Calls the worker of this process directly, without a channel. Prefixes errors with `where`, like a proxy. REQUIRES:
// `worker` outlives the result.
std::shared_ptr<WorkerService> MakeOwnWorker(WorkerService& worker, std::string where);
// "/job:ps/replica:0/task:0 (10.0.0.7:2222)", or the part of it that is known.
std::string TaskAt(const std::string& task, const std::string& address);

// Handles incoming calls of both services, which must outlive the calls. Unimplemented for an unknown method,
// InvalidArgument for a message that cannot be parsed.
CallHandler ServeBoth(WorkerService& worker, MasterService& master);

}  // namespace weir

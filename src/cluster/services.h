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

// The methods of the two services: name, request, response. Interfaces, proxies and handlers are made from these
// tables. WaitForEnd is Weir's own: it answers when the task ends. TensorFlow's workers answer with Unimplemented.
#define WEIR_WORKER_METHODS(METHOD)                                                                            \
  METHOD(GetStatus, tensorflow::GetStatusRequest, tensorflow::GetStatusResponse)                               \
  METHOD(CreateWorkerSession, tensorflow::CreateWorkerSessionRequest, tensorflow::CreateWorkerSessionResponse) \
  METHOD(DeleteWorkerSession, tensorflow::DeleteWorkerSessionRequest, tensorflow::DeleteWorkerSessionResponse) \
  METHOD(RegisterGraph, tensorflow::RegisterGraphRequest, tensorflow::RegisterGraphResponse)                   \
  METHOD(DeregisterGraph, tensorflow::DeregisterGraphRequest, tensorflow::DeregisterGraphResponse)             \
  METHOD(RunGraph, RunGraphCall, RunGraphReply)                                                                \
  METHOD(CleanupGraph, tensorflow::CleanupGraphRequest, tensorflow::CleanupGraphResponse)                      \
  METHOD(CleanupAll, tensorflow::CleanupAllRequest, tensorflow::CleanupAllResponse)                            \
  METHOD(RecvTensor, tensorflow::RecvTensorRequest, RecvTensorReply)                                           \
  METHOD(Logging, tensorflow::LoggingRequest, tensorflow::LoggingResponse)                                     \
  METHOD(WaitForEnd, tensorflow::GetStatusRequest, tensorflow::GetStatusResponse)
#define WEIR_MASTER_METHODS(METHOD)                                                                \
  METHOD(CreateSession, tensorflow::CreateSessionRequest, tensorflow::CreateSessionResponse)       \
  METHOD(ExtendSession, tensorflow::ExtendSessionRequest, tensorflow::ExtendSessionResponse)       \
  METHOD(RunStep, RunStepCall, RunStepReply)                                                       \
  METHOD(PartialRunSetup, tensorflow::PartialRunSetupRequest, tensorflow::PartialRunSetupResponse) \
  METHOD(CloseSession, tensorflow::CloseSessionRequest, tensorflow::CloseSessionResponse)          \
  METHOD(ListDevices, tensorflow::ListDevicesRequest, tensorflow::ListDevicesResponse)             \
  METHOD(Reset, tensorflow::ResetRequest, tensorflow::ResetResponse)                               \
  METHOD(MakeCallable, tensorflow::MakeCallableRequest, tensorflow::MakeCallableResponse)          \
  METHOD(RunCallable, RunCallableCall, RunCallableReply)                                           \
  METHOD(ReleaseCallable, tensorflow::ReleaseCallableRequest, tensorflow::ReleaseCallableResponse)

#define WEIR_METHOD(Method, Request, Response) \
  virtual void Method(Request request, const CallOptions& options, Reply<Response> done) = 0;
class WorkerService {
 public:
  virtual ~WorkerService() = default;
  WEIR_WORKER_METHODS(WEIR_METHOD)
};

class MasterService {
 public:
  virtual ~MasterService() = default;
  WEIR_MASTER_METHODS(WEIR_METHOD)
};
#undef WEIR_METHOD

// Proxies for the services at the other end of a channel. They prefix errors with their origin: the task `who`
// ("/job:ps/replica:0/task:0"), empty if unknown, and the address.
std::shared_ptr<WorkerService> MakeRemoteWorker(std::shared_ptr<Channel> channel, std::string who);
std::shared_ptr<MasterService> MakeRemoteMaster(std::shared_ptr<Channel> channel);
// Calls the worker of this process directly, without a channel. Prefixes errors with `where`, like a proxy. REQUIRES:
// `worker` outlives the result.
std::shared_ptr<WorkerService> MakeDirectWorker(WorkerService& worker, std::string where);
// "/job:ps/replica:0/task:0 (10.0.0.7:2222)", or the part of it that is known.
std::string TaskAt(const std::string& task, const std::string& address);

// Handles incoming calls of both services, which must outlive the calls. Unimplemented for an unknown method,
// InvalidArgument for a message that cannot be parsed.
CallHandler MakeServiceHandler(WorkerService& worker, MasterService& master);

}  // namespace weir

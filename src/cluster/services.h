// The two services of a server as C++ interfaces: what a master does for clients, and what a worker does for masters
// and other workers. They are implemented by the services themselves and by proxies for remote ones. Calls do not
// block. `done` runs exactly once, on any thread, possibly before the call returns.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cluster/access.h"
#include "cluster/limits.h"
#include "cluster/transport.h"
#include "cluster/wire.h"

namespace weir {

template <class Response>
using Reply = std::function<void(Result<Response>)>;

// The methods of the two services: name, request, response, and the roles that may call it. Interfaces, proxies and
// handlers are made from these tables. WaitForEnd is Weir's own: it answers when the task ends. TensorFlow's workers
// answer with Unimplemented.
#define WEIR_WORKER_METHODS(METHOD)                                                                                    \
  METHOD(GetStatus, tensorflow::GetStatusRequest, tensorflow::GetStatusResponse, kTasks)                               \
  METHOD(CreateWorkerSession, tensorflow::CreateWorkerSessionRequest, tensorflow::CreateWorkerSessionResponse, kTasks) \
  METHOD(DeleteWorkerSession, tensorflow::DeleteWorkerSessionRequest, tensorflow::DeleteWorkerSessionResponse, kTasks) \
  METHOD(RegisterGraph, tensorflow::RegisterGraphRequest, tensorflow::RegisterGraphResponse, kTasks)                   \
  METHOD(DeregisterGraph, tensorflow::DeregisterGraphRequest, tensorflow::DeregisterGraphResponse, kTasks)             \
  METHOD(RunGraph, RunGraphCall, RunGraphReply, kTasks)                                                                \
  METHOD(CleanupGraph, tensorflow::CleanupGraphRequest, tensorflow::CleanupGraphResponse, kTasks)                      \
  METHOD(CleanupAll, tensorflow::CleanupAllRequest, tensorflow::CleanupAllResponse, kTasks | kAdministrators)          \
  METHOD(RecvTensor, tensorflow::RecvTensorRequest, RecvTensorReply, kTasks)                                           \
  METHOD(Logging, tensorflow::LoggingRequest, tensorflow::LoggingResponse, kTasks)                                     \
  METHOD(WaitForEnd, tensorflow::GetStatusRequest, tensorflow::GetStatusResponse, kTasks)
#define WEIR_MASTER_METHODS(METHOD)                                                                            \
  METHOD(CreateSession, tensorflow::CreateSessionRequest, tensorflow::CreateSessionResponse, kEverybody)       \
  METHOD(ExtendSession, tensorflow::ExtendSessionRequest, tensorflow::ExtendSessionResponse, kEverybody)       \
  METHOD(RunStep, RunStepCall, RunStepReply, kEverybody)                                                       \
  METHOD(PartialRunSetup, tensorflow::PartialRunSetupRequest, tensorflow::PartialRunSetupResponse, kEverybody) \
  METHOD(CloseSession, tensorflow::CloseSessionRequest, tensorflow::CloseSessionResponse, kEverybody)          \
  METHOD(ListDevices, tensorflow::ListDevicesRequest, tensorflow::ListDevicesResponse, kEverybody)             \
  METHOD(Reset, tensorflow::ResetRequest, tensorflow::ResetResponse, kAdministrators)                          \
  METHOD(MakeCallable, tensorflow::MakeCallableRequest, tensorflow::MakeCallableResponse, kEverybody)          \
  METHOD(RunCallable, RunCallableCall, RunCallableReply, kEverybody)                                           \
  METHOD(ReleaseCallable, tensorflow::ReleaseCallableRequest, tensorflow::ReleaseCallableResponse, kEverybody)

#define WEIR_METHOD(Method, Request, Response, Allowed) \
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

// Handles incoming calls of both services. The services, `access` and `unread_answers` must outlive the calls. A call
// that AccessControl rejects gets its error, an unknown method Unimplemented, and a message that cannot be parsed
// InvalidArgument. `unread_answers` counts the bytes of answers until the transport has sent them; an answer for which
// it has no room is replaced by ResourceExhausted.
CallHandler MakeServiceHandler(WorkerService& worker, MasterService& master, AccessControl& access,
                               Quota& unread_answers);

// The roles that may call each method, by the method's path, in the order of the tables.
std::vector<std::pair<std::string, Roles>> AllowedRoles();

}  // namespace weir

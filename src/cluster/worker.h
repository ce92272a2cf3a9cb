// Worker: holds the variables of this task and runs the parts of graphs that are placed on it. Graphs are registered
// once and run many times. Several masters may use it at a time. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/alarms.h"
#include "base/clock.h"
#include "base/thread_pool.h"
#include "cluster/chunks.h"
#include "cluster/end_notice.h"
#include "cluster/in_flight.h"
#include "cluster/kept_responses.h"
#include "cluster/peers.h"
#include "cluster/process_parts.h"
#include "cluster/step_rendezvous.h"
#include "device/device.h"
#include "op/py_func.h"
#include "op/resource.h"

namespace weir {

class OpRegistry;
class RegisteredGraph;
struct StepArgs;

class Worker final : public WorkerService {
 public:
  struct Dependencies {
    ProcessParts parts;
    Transport& transport;                             // for sessions that bring their own cluster; outlives the worker
    Clock& clock;                                     // measures kernels; outlives the worker
    AccessControl& access;                            // outlives the worker
    size_t chunk_bytes = kChunkBytes;                 // large tensors are sent to Weir tasks in chunks of this size
    size_t kept_response_bytes = kKeptResponseBytes;  // of each session, see KeptResponses
    Alarms* alarms = nullptr;                         // for leases, which never end without it; outlives the worker
  };

  Worker(std::string task, std::vector<std::unique_ptr<Device>> devices, Dependencies dependencies);
  ~Worker() override;
  // The other tasks, except in sessions that define their own cluster. REQUIRES: called before the first call.
  void set_peers(std::shared_ptr<Peers> peers) { peers_ = std::move(peers); }
  const std::string& task() const { return task_; }
  // Rejects new steps. Waits at most `timeout_ms` until the masters have ended the active steps, because other tasks
  // may still request values from this worker. Ends steps whose master cannot be reached.
  void Drain(int64_t timeout_ms);
  // Runs `then` when nothing is running: inline, or on the thread that ends the last step.
  void WhenIdle(std::function<void()> then) { in_flight_.WhenNone(std::move(then)); }
  // The number of objects that the worker holds now.
  struct Usage {
    int sessions = 0;
    int graphs = 0;  // of all sessions
    int steps = 0;
    bool has_calls_in_flight = false;
  };
  Usage usage() const;
  // Answers calls of WaitForEnd: OK if the task has done its work, an error if it will come back.
  void AnnounceEnd(const Status& status) { end_notice_.Send(status); }
  // Cancels running steps; later ones fail.
  void Stop(const Status& reason);

  void GetStatus(tensorflow::GetStatusRequest request, const CallOptions& options,
                 Reply<tensorflow::GetStatusResponse> done) override;
  void CreateWorkerSession(tensorflow::CreateWorkerSessionRequest request, const CallOptions& options,
                           Reply<tensorflow::CreateWorkerSessionResponse> done) override;
  void DeleteWorkerSession(tensorflow::DeleteWorkerSessionRequest request, const CallOptions& options,
                           Reply<tensorflow::DeleteWorkerSessionResponse> done) override;
  void RegisterGraph(tensorflow::RegisterGraphRequest request, const CallOptions& options,
                     Reply<tensorflow::RegisterGraphResponse> done) override;
  void DeregisterGraph(tensorflow::DeregisterGraphRequest request, const CallOptions& options,
                       Reply<tensorflow::DeregisterGraphResponse> done) override;
  void RunGraph(RunGraphCall call, const CallOptions& options, Reply<RunGraphReply> done) override;
  void CleanupGraph(tensorflow::CleanupGraphRequest request, const CallOptions& options,
                    Reply<tensorflow::CleanupGraphResponse> done) override;
  void CleanupAll(tensorflow::CleanupAllRequest request, const CallOptions& options,
                  Reply<tensorflow::CleanupAllResponse> done) override;
  void RecvTensor(tensorflow::RecvTensorRequest request, const CallOptions& options,
                  Reply<RecvTensorReply> done) override;
  void Logging(tensorflow::LoggingRequest request, const CallOptions& options,
               Reply<tensorflow::LoggingResponse> done) override;
  void WaitForEnd(tensorflow::GetStatusRequest, const CallOptions& options,
                  Reply<tensorflow::GetStatusResponse> done) override {
    end_notice_.Wait(options.cancel, std::move(done));
  }

 private:
  struct WorkerSession;
  using Responses = KeptResponses<RunGraphReply>;
  struct ActiveStep;
  struct StepState;
  struct Receive;

  Result<std::shared_ptr<WorkerSession>> FindSession(const std::string& handle, bool created);
  Result<std::shared_ptr<RegisteredGraph>> FindGraph(WorkerSession& session, const std::string& handle);
  Result<tensorflow::RegisterGraphResponse> Register(const tensorflow::RegisterGraphRequest& request,
                                                     const CancelToken& cancel);
  std::shared_ptr<ActiveStep> StepFor(int64_t id);
  void ReleaseStep(const std::shared_ptr<ActiveStep>& step, int64_t id, int ActiveStep::*users, bool given_up = false);
  // Notes which step of the session keeps values until the next call on the slot. Returns the previous one, or 0.
  // REQUIRES: mu_ is held.
  static int64_t ReplaceKeptStep(WorkerSession& session, const tensorflow::RunGraphRequest& request);
  // Forgets the values that a step has kept, and the step if nobody uses it.
  void ForgetValues(int64_t id);
  // Ends and forgets the steps of a session that is closed.
  void EndStepsOf(const std::shared_ptr<WorkerSession>& session, const Status& reason);
  void EndStepsOfLostMasters(int64_t timeout_ms);
  // Answers the renewal of a lease: Aborted if the session does not exist.
  Status RenewLease(const tensorflow::CreateWorkerSessionRequest& request);
  // Sets the alarm for the next lease to end. REQUIRES: mu_ is held.
  void WatchLeasesLocked();
  // Closes the sessions whose lease has ended.
  void EndLeases();
  void StartStep(const std::shared_ptr<WorkerSession>& session, const std::shared_ptr<RegisteredGraph>& graph,
                 const std::shared_ptr<ActiveStep>& step, RunGraphCall call, CancelToken* cancel,
                 Reply<RunGraphReply> done);
  void RunPartial(const std::shared_ptr<WorkerSession>& session, const std::shared_ptr<RegisteredGraph>& graph,
                  const std::shared_ptr<ActiveStep>& step, RunGraphCall call, CancelToken* cancel,
                  Reply<RunGraphReply> done);
  StepArgs ArgsFor(const StepState& state, ActiveStep& step, int64_t id);
  std::optional<Result<RecvTensorReply>> AnswerAgain(const Receive& receive);
  // Ends a receive, unless the value is sent in chunks.
  Result<RecvTensorReply> Received(const Receive& receive, Result<Rendezvous::Value> value);
  Result<RecvTensorReply> NextChunk(int64_t step_id, const std::string& key, size_t offset);
  Status CheckSource(const std::string& key) const;
  std::string NewHandle();
  // Sets the cluster that a session defines, and the names of this task and its devices in that cluster.
  Status UseSessionCluster(const tensorflow::ServerDef& def, WorkerSession* session);

  const std::string task_;
  using Devices = std::vector<std::unique_ptr<Device>>;
  const std::shared_ptr<const Devices> devices_;
  const Dependencies dependencies_;
  const std::shared_ptr<ResourceManager> resources_;  // shared by all sessions that are not isolated
  std::shared_ptr<Peers> peers_;
  CancelToken stop_;
  const Status step_done_ =
      MarkDerived(Cancelled("the step has ended: nobody waits for this value"));  // ends steps that have run
  EndNotice end_notice_;
  InFlight in_flight_;
  mutable std::mutex mu_;
  bool draining_ = false;
  int64_t next_handle_ = 1;
  std::map<std::string, std::shared_ptr<WorkerSession>> sessions_;
  std::map<int64_t, std::shared_ptr<ActiveStep>> steps_;
  bool watches_leases_ = true;  // false once the worker stops
  Alarms::Id lease_alarm_ = 0;
};

}  // namespace weir

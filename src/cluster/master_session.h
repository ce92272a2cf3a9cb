// MasterSession: a client's session on the server that it talks to. Holds the client's graph, compiles each signature
// once, and runs steps on the workers. Calls do not block, except Extend. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/alarms.h"
#include "base/function_ref.h"
#include "base/rng.h"
#include "base/thread_pool.h"
#include "cluster/call_slots.h"
#include "cluster/in_flight.h"
#include "cluster/kept_responses.h"
#include "cluster/plan_compiler.h"
#include "cluster/session_tasks.h"
#include "proto/master.pb.h"

namespace weir {

// Returns `done`, which frees `counted` first: a caller that has the response may begin another step.
template <class Response>
Reply<Response> Counted(std::shared_ptr<void> counted, Reply<Response> done) {
  return [counted = std::move(counted), done = std::move(done)](Result<Response> response) mutable {
    counted = nullptr;
    done(std::move(response));
  };
}

class MasterSession final : public std::enable_shared_from_this<MasterSession> {
 public:
  struct Dependencies {
    const OpRegistry& registry;  // all references must outlive the session
    std::shared_ptr<ConstantEvaluator> evaluator;
    std::shared_ptr<Peers> peers;
    ElasticPool& blocking_pool;
    Alarms& alarms;
    std::shared_ptr<BestEffortCalls> best_effort;
    Rng& rng;
    int64_t session_lease_ms = kSessionLeaseMs;       // see SessionTasks
    size_t kept_response_bytes = kKeptResponseBytes;  // see KeptResponses
  };
  MasterSession(std::string handle, tensorflow::ConfigProto config, Dependencies dependencies);
  ~MasterSession();

  const std::string& handle() const { return handle_; }
  // Adds nodes. REQUIRES: `version` is the one that the last Extend returned, else Aborted. `cancel` may be null; a
  // cancelled call leaves the graph unchanged.
  Result<int64_t> Extend(const tensorflow::GraphDef& graph, int64_t version, CancelToken* cancel = nullptr);
  // Called before a step runs, but not for a copy of one that runs or has run. The result counts the step until its
  // end; an error is the response.
  using Admit = FunctionRef<Result<std::shared_ptr<void>>()>;
  void RunStep(RunStepCall call, const CallOptions& options, Reply<RunStepReply> done, Admit admit);
  // The client does not wait for that step, nor for earlier ones on its slot.
  void GiveUpStep(CallNumber number) { responses_->GiveUp(number, CallerIsGone()); }
  void PartialRunSetup(const tensorflow::PartialRunSetupRequest& request, const CallOptions& options,
                       Reply<tensorflow::PartialRunSetupResponse> done);
  void MakeCallable(const tensorflow::CallableOptions& callable, const CallOptions& options,
                    Reply<tensorflow::MakeCallableResponse> done);
  void RunCallable(RunCallableCall call, const CallOptions& options, Reply<RunCallableReply> done);
  Status ReleaseCallable(int64_t handle);
  void ListDevices(const CallOptions& options, Reply<tensorflow::ListDevicesResponse> done);
  // Waits until nothing is running, for at most `timeout_ms`.
  void Drain(int64_t timeout_ms) {
    responses_->EndOrphans();
    in_flight_.WaitForNone(timeout_ms);
  }
  // Cancels running steps. When they have ended, tells the workers and calls `done`.
  void Close(std::function<void()> done);

 private:
  struct PartialRun;
  struct MasterStep;
  struct Compilation;
  struct CompilingWaiter;
  using Responses = KeptResponses<RunStepReply>;
  using WithPlan = std::function<void(Result<std::shared_ptr<StepPlan>>)>;

  std::shared_ptr<StepPlan> FindPlan(const std::string& key);
  // The plan of a signature, cached or compiled. `cancel` ends the wait of this caller only; it must live until `then`
  // runs.
  void GetPlan(StepSignature signature, CancelToken* cancel, WithPlan then);
  void RemoveWaiter(const std::string& key, CompilingWaiter& waiter, const Status& reason);
  void FinishCompilation(const std::string& key, const std::shared_ptr<Compilation>& compiling,
                         const Result<std::shared_ptr<StepPlan>>& plan);
  // A step that its caller, its deadline and the session can cancel.
  std::shared_ptr<MasterStep> NewStep(int64_t timeout_ms, const CallOptions& options, Reply<RunStepReply> done);
  void RunPlan(const std::shared_ptr<MasterStep>& step, std::shared_ptr<StepPlan> plan, std::vector<Tensor> feeds,
               const tensorflow::RunOptions& options);
  void RunPiece(RunStepCall call, const CallOptions& options, Reply<RunStepReply> done);
  RunGraphCall CallFor(const StepPlan::Part& part, int64_t step_id) const;
  // `number` is that of the first call of the step.
  void CleanUp(const StepPlan& plan, int64_t step_id, CallNumber number, bool ended_well) const;
  int64_t NewStepId() const;

  const std::string handle_;
  const tensorflow::ConfigProto config_;
  const Dependencies dependencies_;
  const std::shared_ptr<Graph> graph_;
  const std::shared_ptr<SessionTasks> tasks_;
  const std::shared_ptr<SessionPlacements> placements_;
  CancelToken closed_;
  InFlight in_flight_;
  CallSlots slots_;                             // of this session's calls to workers
  const std::shared_ptr<Responses> responses_;  // to the client
  std::mutex extend_mu_;
  std::mutex mu_;
  int64_t version_ = 0;
  absl::flat_hash_map<std::string, std::shared_ptr<StepPlan>> plans_;
  std::map<std::string, std::shared_ptr<Compilation>> compiling_;
  std::map<std::string, std::shared_ptr<PartialRun>> partial_runs_;
  std::map<int64_t, std::pair<std::shared_ptr<StepPlan>, tensorflow::RunOptions>> callables_;
  int64_t next_handle_ = 1;
};

}  // namespace weir

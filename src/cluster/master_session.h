// MasterSession: a client's session on the server that it talks to. Holds the client's graph, turns signatures into plans
// (pruned, placed, cut into parts that are registered with their workers) once, and runs steps over the workers.
// A session waits only for tasks that its plans use. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/alarms.h"
#include "base/rng.h"
#include "base/thread_pool.h"
#include "cluster/in_flight.h"
#include "cluster/peers.h"
#include "graph/constant_evaluator.h"
#include "graph/graph.h"
#include "proto/config.pb.h"
#include "proto/master.pb.h"

namespace weir {

struct StepPlan;

class MasterSession final : public std::enable_shared_from_this<MasterSession> {
 public:
  struct Dependencies {
    const OpRegistry& registry;  // these outlive the session
    std::shared_ptr<ConstantEvaluator> evaluator;
    std::shared_ptr<Peers> peers;
    ElasticPool& blocking_pool;
    Alarms& alarms;
    Rng& rng;
  };
  MasterSession(std::string handle, tensorflow::ConfigProto config, Dependencies dependencies);
  ~MasterSession();

  const std::string& handle() const { return handle_; }
  // Adds nodes; `version` must be the one that the last Extend gave. Blocks.
  Result<int64_t> Extend(const tensorflow::GraphDef& graph, int64_t version);
  void RunStep(RunStepCall call, const CallOptions& options, Reply<RunStepReply> done);
  // These block.
  Result<std::string> PartialRunSetup(const tensorflow::PartialRunSetupRequest& request, CancelToken* cancel);
  Result<int64_t> MakeCallable(const tensorflow::CallableOptions& options, CancelToken* cancel);
  Result<tensorflow::ListDevicesResponse> ListDevices(CancelToken* cancel);

  void RunCallable(RunCallableCall call, const CallOptions& options, Reply<RunCallableReply> done);
  Status ReleaseCallable(int64_t handle);
  // Cancels what runs, waits for it and tells the workers. Blocks.
  void Close();

 private:
  struct Signature {
    std::vector<std::string> feeds;
    std::vector<std::string> fetches;
    std::vector<std::string> targets;
    std::string Key() const;
  };
  struct PartialRun;
  struct Step;
  using TaskDevices = std::map<std::string, std::vector<tensorflow::DeviceAttributes>>;

  std::shared_ptr<StepPlan> FindPlan(const std::string& key);
  // Blocks: may wait for tasks.
  Result<std::shared_ptr<StepPlan>> GetPlan(const Signature& signature, CancelToken* cancel);
  Result<std::shared_ptr<StepPlan>> Compile(const Signature& signature, CancelToken* cancel);
  Result<Output> FindOutput(const std::string& name, std::string_view what) const;
  bool Allowed(const std::string& task) const;
  // The devices of a task, asking it when it is not known yet: waits until it answers or `cancel` says stop.
  Result<std::vector<tensorflow::DeviceAttributes>> DevicesOf(const std::string& task, CancelToken* cancel);
  Status OpenWorkerSession(const std::string& task, CancelToken* cancel);
  void Run(const std::shared_ptr<StepPlan>& plan, std::vector<Tensor> feeds, const tensorflow::RunOptions& run_options,
           const CallOptions& options, Reply<RunStepReply> done);
  void RunPiece(RunStepCall call, const CallOptions& options, Reply<RunStepReply> done);
  void Launch(const std::shared_ptr<Step>& step, std::vector<RunGraphCall> calls);
  tensorflow::ServerDef ServerDefFor(const std::string& task) const;

  const std::string handle_;
  const tensorflow::ConfigProto config_;
  const Dependencies dependencies_;
  const std::shared_ptr<Graph> graph_;
  CancelToken closed_;
  InFlight in_flight_;
  std::mutex compile_mu_;  // one plan is made at a time
  std::mutex mu_;
  int64_t version_ = 0;
  TaskDevices devices_;
  std::map<std::string, bool> opened_;  // tasks that know the session
  absl::flat_hash_map<std::string, std::shared_ptr<StepPlan>> plans_;
  std::map<std::string, std::shared_ptr<PartialRun>> partial_runs_;
  std::map<int64_t, std::pair<std::shared_ptr<StepPlan>, tensorflow::RunOptions>> callables_;
  int64_t next_handle_ = 1;
};

}  // namespace weir

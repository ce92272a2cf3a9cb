// PlanCompiler: makes the plan of one signature. It prunes, places, rewrites and cuts the session's graph, and
// registers the parts with their workers. Waits for tasks without blocking a thread.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "cluster/session_tasks.h"
#include "cluster/step_plan.h"
#include "cluster/step_stages.h"
#include "graph/constant_evaluator.h"
#include "graph/graph.h"
#include "op/joined_token.h"
#include "runtime/session_placements.h"

namespace weir {

// Names of values ("x:0") and nodes, as clients write them.
struct StepSignature {
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  bool is_partial_run = false;  // for partial runs
  std::string Key() const;
};

class PlanCompiler final : public std::enable_shared_from_this<PlanCompiler> {
 public:
  struct Dependencies {
    std::string session_handle;
    const tensorflow::ConfigProto& config;  // references must outlive the compiler
    std::shared_ptr<Graph> graph;
    std::shared_ptr<SessionTasks> tasks;
    std::shared_ptr<SessionPlacements> placements;
    std::shared_ptr<ConstantEvaluator> evaluator;
    ElasticPool& blocking_pool;
  };
  using Done = std::function<void(Result<std::shared_ptr<StepPlan>>)>;

  // Calls `done` once, on any thread. `cancel` must live until then.
  static void Compile(Dependencies dependencies, StepSignature signature, CancelToken* cancel, Done done);

 private:
  PlanCompiler(Dependencies dependencies, StepSignature signature, CancelToken* cancel, Done done);
  using Next = void (PlanCompiler::*)();

  void Prune();
  void Place();
  void Cut();
  void Register();
  Status PruneNow();
  Status CutNow();
  // Cuts the parts of other tasks into stages where that saves calls.
  std::vector<Stage> CutStages();
  // Sets which parts and values each part waits for. The parts of the plan are the stages, followed by the part of the
  // master's task.
  void ConnectStages(const std::vector<Stage>& stages);
  Status AddPart(Partition& partition);
  std::vector<std::unique_ptr<Device>> AssumeDevices(std::set<std::string>* assumed) const;
  std::set<std::string> TasksToAsk(const std::set<std::string>& assumed, bool placed) const;
  Result<Output> FindOutput(const std::string& name, std::string_view what) const;

  // Continues with `next` on the blocking pool.
  void Schedule(Next next);
  // Runs `what` `count` times concurrently. `then` runs when all have ended, with the first error, which cancels the
  // others.
  void ForEach(size_t count, const std::function<void(size_t, std::function<void(Status)> done)>& what,
               std::function<void(const Status&)> then);
  // The same for tasks; continues with `next`.
  using TaskCall = void (SessionTasks::*)(const std::string& task, CancelToken* cancel, SessionTasks::Done done);
  void ForEachTask(const std::vector<std::string>& tasks, TaskCall call, Next next);
  void RegisterPart(size_t i, tensorflow::RegisterGraphRequest request, std::function<void(Status)> answered);
  void End(Result<std::shared_ptr<StepPlan>> result);
  CancelToken* cancel() { return ending_->get(); }

  const Dependencies dependencies_;
  const StepSignature signature_;
  std::optional<JoinedToken> ending_;  // until End: cancelled by the caller or the first error
  const Done done_;
  PlanGraph pruned_;
  std::vector<std::unique_ptr<Device>> devices_;  // the devices that the nodes of pruned_ are placed on
  Partitions partitions_;
  std::shared_ptr<StepPlan> plan_ = std::make_shared<StepPlan>();
};

}  // namespace weir

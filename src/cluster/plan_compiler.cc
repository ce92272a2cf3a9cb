// The compiler assumes that a task has one CPU until it has asked the task for its devices. It asks the tasks on which
// nodes were placed and places the nodes again, until no assumption is left. So only tasks that the graph names must be
// running.
#include "cluster/plan_compiler.h"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/out_of_memory.h"
#include "base/process_memory.h"
#include "cluster/registered_graph.h"
#include "cluster/when_all.h"
#include "graph/device_name.h"
#include "graph/function_library.h"
#include "graph/graph_def.h"
#include "runtime/first_answer.h"
#include "runtime/passes/order_updates.h"
#include "runtime/passes/passes.h"
#include "runtime/placer.h"

namespace weir {
namespace {

// A device of another task, for placement only.
class KnownDevice final : public Device {
 public:
  explicit KnownDevice(tensorflow::DeviceAttributes attributes) : attributes_(std::move(attributes)) {}
  const tensorflow::DeviceAttributes& attributes() const override { return attributes_; }
  Allocator& allocator() override { return CpuAllocator(); }

 private:
  const tensorflow::DeviceAttributes attributes_;
};

// True if the part sends or receives values that do not come with its call or its response.
bool ExchangesValues(const OpRegistry& registry, const tensorflow::GraphDef& part) {
  return std::any_of(part.node().begin(), part.node().end(), [&](const tensorflow::NodeDef& node) {
    const OpDef* op = registry.Find(node.op());
    return op != nullptr && op->traits.kind == NodeKind::kTransfer && !IsClientEnd(node);
  });
}

}  // namespace

std::string StepSignature::Key() const {
  return absl::StrCat(absl::StrJoin(feeds, ","), "\n", absl::StrJoin(fetches, ","), "\n", absl::StrJoin(targets, ","),
                      is_partial_run ? "\nin pieces" : "");
}

PlanCompiler::PlanCompiler(Dependencies dependencies, StepSignature signature, CancelToken* cancel, Done done)
    : dependencies_(std::move(dependencies)),
      signature_(std::move(signature)),
      ending_(std::in_place, std::initializer_list<CancelToken*>{cancel}),
      done_(std::move(done)) {}

void PlanCompiler::Compile(Dependencies dependencies, StepSignature signature, CancelToken* cancel, Done done) {
  std::shared_ptr<PlanCompiler> compiler(
      new PlanCompiler(std::move(dependencies), std::move(signature), cancel, std::move(done)));
  compiler->Schedule(&PlanCompiler::Prune);
}

void PlanCompiler::Schedule(Next next) {
  dependencies_.blocking_pool.Schedule([self = shared_from_this(), next] {
    if (self->cancel()->cancelled()) return self->End(self->cancel()->reason());
    (*self.*next)();
  });
}

void PlanCompiler::End(Result<std::shared_ptr<StepPlan>> result) {
  ending_.reset();  // the caller's token may be destroyed after `done`
  done_(std::move(result));
}

void PlanCompiler::ForEach(size_t count, const std::function<void(size_t, std::function<void(Status)>)>& what,
                           std::function<void(const Status&)> then) {
  const auto answered = WhenAll(
      count + 1, [self = shared_from_this(), then = std::move(then)](const Status& status) { then(status); },
      [this](const Status& status) { cancel()->Cancel(status); });
  for (size_t i = 0; i < count; ++i) what(i, answered);
  answered(OkStatus());
}

void PlanCompiler::ForEachTask(const std::vector<std::string>& tasks, TaskCall call, Next next) {
  ForEach(
      tasks.size(),
      [&](size_t i, std::function<void(Status)> done) {
        (*dependencies_.tasks.*call)(tasks[i], cancel(), std::move(done));
      },
      [this, next](const Status& status) {
        if (!status.ok()) return End(status);
        Schedule(next);
      });
}

Result<Output> PlanCompiler::FindOutput(const std::string& name, std::string_view what) const {
  const InputName parsed = ParseInputName(name);
  Node* node = parsed.is_control() ? nullptr : dependencies_.graph->FindNode(std::string(parsed.node));
  if (node == nullptr || parsed.output >= node->num_outputs())
    return NotFound("{} {}: not found in the session's graph", what, name);
  return node->output(parsed.output);
}

Status PlanCompiler::PruneNow() {
  std::vector<Output> feeds;
  std::vector<Output> fetches;
  std::vector<Node*> targets;
  for (const std::string& name : signature_.feeds) {
    WEIR_ASSIGN(Output feed, FindOutput(name, "Feed"));
    feeds.push_back(feed);
  }
  for (const std::string& name : signature_.fetches) {
    WEIR_ASSIGN(Output fetch, FindOutput(name, "Fetch"));
    fetches.push_back(fetch);
  }
  for (const std::string& name : signature_.targets) {
    targets.push_back(dependencies_.graph->FindNode(name));
    if (targets.back() == nullptr) return NotFound("Target {}: not found in the session's graph", name);
  }
  WEIR_ASSIGN(pruned_, PruneGraph(*dependencies_.graph, feeds, fetches, targets));
  WEIR_TRY(ProcessMemory::Get().ReserveKept(pruned_.nodes.size() * kGraphNodeBytes));
  return OkStatus();
}

void PlanCompiler::Prune() {
  if (Status status = CatchOutOfMemory("the plan of a step", [&] { return PruneNow(); }); !status.ok())
    return End(status);
  SessionTasks& tasks = *dependencies_.tasks;
  ForEachTask({tasks.peers().own_task()}, &SessionTasks::Ask, &PlanCompiler::Place);
}

std::vector<std::unique_ptr<Device>> PlanCompiler::AssumeDevices(std::set<std::string>* assumed) const {
  std::vector<std::unique_ptr<Device>> devices;
  for (const std::string& task : dependencies_.tasks->Allowed()) {
    if (std::shared_ptr<const SessionTasks::Devices> known = dependencies_.tasks->DevicesOf(task)) {
      for (const tensorflow::DeviceAttributes& device : *known)
        devices.push_back(std::make_unique<KnownDevice>(device));
      continue;
    }
    assumed->insert(task);
    tensorflow::DeviceAttributes device;
    device.set_name(task + "/device:CPU:0");
    device.set_device_type("CPU");
    devices.push_back(std::make_unique<KnownDevice>(std::move(device)));
  }
  return devices;
}

// The tasks on which nodes were placed. If placement failed, the tasks that may have a requested device.
std::set<std::string> PlanCompiler::TasksToAsk(const std::set<std::string>& assumed, bool placed) const {
  std::set<std::string> needed;
  for (const PlanGraph::Node& node : pruned_.nodes) {
    if (placed) {
      const std::string task = TaskOfDevice(node.placed->name());
      if (assumed.contains(task)) needed.insert(task);
      continue;
    }
    Result<DeviceName> asked = DeviceName::Parse(node.device);
    if (!asked.ok() || !asked->job.has_value() || !asked->type.has_value()) continue;
    asked->type.reset();
    asked->index.reset();
    for (const std::string& task : assumed) {
      Result<DeviceName> name = DeviceName::Parse(task);
      if (name.ok() && asked->Matches(*name)) needed.insert(task);
    }
  }
  return needed;
}

void PlanCompiler::Place() {
  std::set<std::string> assumed;
  devices_ = AssumeDevices(&assumed);
  dependencies_.placements->Request(*dependencies_.graph, pruned_, HasGpu(devices_));
  const Status placed =
      PlaceNodes(*dependencies_.graph, devices_,
                 PlacerOptions{.allow_soft_placement = dependencies_.config.allow_soft_placement()}, pruned_);
  const std::set<std::string> ask = TasksToAsk(assumed, placed.ok());
  if (ask.empty()) return placed.ok() ? Cut() : End(placed);
  ForEachTask({ask.begin(), ask.end()}, &SessionTasks::Ask, &PlanCompiler::Place);
}

Status PlanCompiler::CutNow() {
  const tensorflow::ConfigProto& config = dependencies_.config;
  dependencies_.placements->Fix(*dependencies_.graph, pruned_);
  if (config.log_device_placement()) {
    for (const PlanGraph::Node& node : pruned_.nodes)
      std::printf("%s: (%s): %s\n", node.name().c_str(), node.op().name.c_str(), node.placed->name().c_str());
    std::fflush(stdout);
  }
  plan_->repeatable = std::all_of(pruned_.nodes.begin(), pruned_.nodes.end(),
                                  [](const PlanGraph::Node& node) { return IsRepeatable(node.op()); });
  const PassOptions passes = PassOptionsOf(config, dependencies_.evaluator.get());
  PassReport report;
  WEIR_TRY(OrderUpdates(pruned_, dependencies_.graph->registry(), signature_.is_partial_run, report));
  WEIR_TRY(RunPasses(pruned_, passes, report));
  if (passes.optimize) MoveGroups(pruned_);
  if (passes.explain) Explain(report.ToString(pruned_));
  WEIR_ASSIGN(partitions_, PartitionGraph(pruned_));
  plan_->feeds = pruned_.feeds;
  plan_->fetch_names = signature_.fetches;
  plan_->feeds_of_fetch = FeedsOfFetches(pruned_);
  for (size_t k = 0; k < pruned_.fetches.size(); ++k) {
    if (pruned_.fetches[k].value.fed())
      plan_->fed_fetches.push_back({static_cast<int>(k), pruned_.fetches[k].value.output});
  }
  const std::vector<Stage> stages = CutStages();
  for (Partition& partition : partitions_.parts) WEIR_TRY(AddPart(partition));
  ConnectStages(stages);
  return OkStatus();
}

Status PlanCompiler::AddPart(Partition& partition) {
  StepPlan::Part& part = plan_->parts.emplace_back();
  part.task = partition.task;
  WEIR_ASSIGN(part.worker, dependencies_.tasks->peers().Find(partition.task));
  part.cleans_up = dependencies_.tasks->IsWeir(part.task);
  part.feeds = std::move(partition.feeds);
  part.fetches = std::move(partition.fetches);
  part.is_own = part.task == dependencies_.tasks->peers().own_task();
  part.requests_values = ExchangesValues(dependencies_.graph->registry(), partition.graph);
  std::set<std::string_view> seen;
  for (const Partition::ClientEdge& fetch : part.fetches) {
    if (seen.insert(fetch.key).second) part.keys.push_back(fetch.key);
  }
  return OkStatus();
}

std::vector<Stage> PlanCompiler::CutStages() {
  const SessionTasks& tasks = *dependencies_.tasks;
  std::set<std::string> may_cut;
  // The pieces of a partial run request the client's fetches only.
  if (!signature_.is_partial_run && !partitions_.has_flow) {
    for (const Partition& part : partitions_.parts) {
      if (tasks.IsWeir(part.task)) may_cut.insert(part.task);
    }
  }
  std::vector<Stage> stages = CutIntoStages(tasks.peers().own_task(), *dependencies_.graph, may_cut, partitions_.parts);
  std::vector<Partition> parts;
  for (Stage& stage : stages) parts.push_back(std::move(stage.part));
  for (Partition& part : partitions_.parts) {
    if (part.task == tasks.peers().own_task()) parts.push_back(std::move(part));
  }
  partitions_.parts = std::move(parts);
  return stages;
}

void PlanCompiler::ConnectStages(const std::vector<Stage>& stages) {
  OwnTaskValues::Keys own_values;
  for (size_t i = 0; i < stages.size(); ++i) {
    StepPlan::Part& part = plan_->parts[i];
    part.after = stages[i].after;
    part.num_inputs = static_cast<int>(stages[i].inputs.size());
    for (const std::string& key : stages[i].inputs) plan_->consumer_parts.emplace(key, i);
    own_values.taken.insert(stages[i].inputs.begin(), stages[i].inputs.end());
  }
  for (size_t i = 0; i < stages.size(); ++i) {
    for (const std::string& key : stages[i].outputs) {
      if (own_values.taken.erase(key) == 0) own_values.delivered.insert(key);
      plan_->parts[i].keys.push_back(key);
      plan_->parts[i].returns_values = true;
    }
  }
  if (!own_values.empty()) plan_->own_values = std::make_shared<const OwnTaskValues::Keys>(std::move(own_values));
}

void PlanCompiler::Cut() {
  if (Status status = CatchOutOfMemory("the plan of a step", [&] { return CutNow(); }); !status.ok())
    return End(status);
  std::vector<std::string> tasks;
  for (const StepPlan::Part& part : plan_->parts) tasks.push_back(part.task);
  ForEachTask(tasks, &SessionTasks::Open, &PlanCompiler::Register);
}

namespace {

// Otherwise the worker would keep the graph until the session ends.
void Deregister(SessionTasks& tasks, const std::string& session_handle, const StepPlan::Part& part,
                const std::string& graph_handle) {
  tensorflow::DeregisterGraphRequest request;
  request.set_session_handle(session_handle);
  request.set_create_worker_session_called(true);
  request.set_graph_handle(graph_handle);
  tasks.SendBestEffort(
      part.task, [worker = part.worker, request](const CallOptions& options, std::function<void(const Status&)> done) {
        worker->DeregisterGraph(request, options,
                                [done = std::move(done)](const Result<tensorflow::DeregisterGraphResponse>& response) {
                                  done(response.status());
                                });
      });
}

}  // namespace

// Calls `answered` at the response or at the cancellation of the plan, whichever comes first. The call itself is not
// cancelled: the worker might have registered the part, and then its handle would be lost.
void PlanCompiler::RegisterPart(size_t i, tensorflow::RegisterGraphRequest request,
                                std::function<void(Status)> answered) {
  // `cancel()` lives until all parts have answered.
  const auto first = FirstAnswer<Status>::Make(cancel(), std::move(answered));
  if (first->answered()) return;
  StepPlan::Part& part = plan_->parts[i];
  part.worker->RegisterGraph(
      std::move(request), CallOptions{},
      [first, plan = plan_, &part, tasks = dependencies_.tasks,
       session_handle = dependencies_.session_handle](Result<tensorflow::RegisterGraphResponse> response) {
        if (!first->Claim()) {
          if (response.ok()) Deregister(*tasks, session_handle, part, response->graph_handle());
          return;
        }
        if (response.ok()) part.graph_handle = response->graph_handle();
        first->Finish(response.status());
      });
}

void PlanCompiler::Register() {
  tensorflow::GraphDef library;
  if (!dependencies_.graph->functions().empty()) dependencies_.graph->functions().ToProto(library.mutable_library());
  const auto register_part = [&](size_t i, std::function<void(Status)> answered) {
    tensorflow::RegisterGraphRequest request;
    request.set_session_handle(dependencies_.session_handle);
    request.set_create_worker_session_called(true);
    request.set_has_control_flow(partitions_.has_flow);
    *request.mutable_graph_options() = dependencies_.config.graph_options();
    *request.mutable_config_proto() = dependencies_.config;
    *request.mutable_graph_def() = std::move(partitions_.parts[i].graph);
    *request.mutable_graph_def()->mutable_library() = library.library();
    request.mutable_graph_def()->mutable_versions()->set_producer(dependencies_.graph->versions().producer);
    RegisterPart(i, std::move(request), std::move(answered));
  };
  for (StepPlan::Part& part : plan_->parts) {
    part.recognizes_copies = !signature_.is_partial_run && dependencies_.tasks->RecognizesCopies(part.task);
    plan_->numbers_calls = plan_->numbers_calls || part.recognizes_copies;
  }
  const auto& parts = plan_->parts;
  plan_->keeps_values =
      std::any_of(parts.begin(), parts.end(), [](const StepPlan::Part& part) { return part.requests_values; }) &&
      std::all_of(parts.begin(), parts.end(),
                  [](const StepPlan::Part& part) { return part.is_own || part.recognizes_copies; });
  ForEach(plan_->parts.size(), register_part, [this](const Status& status) {
    if (status.ok()) return End(plan_);
    for (const StepPlan::Part& part : plan_->parts) {
      if (!part.graph_handle.empty())
        Deregister(*dependencies_.tasks, dependencies_.session_handle, part, part.graph_handle);
    }
    End(status);
  });
}

}  // namespace weir

#include "cluster/master_session.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "absl/strings/str_join.h"
#include "base/clock.h"
#include "base/log.h"
#include "cluster/await.h"
#include "cluster/step_plan.h"
#include "graph/device_name.h"
#include "graph/function_library.h"
#include "graph/graph_def.h"
#include "op/joined_token.h"
#include "runtime/passes/passes.h"
#include "runtime/placer.h"

namespace weir {
namespace {

constexpr int64_t kNanosPerMilli = 1'000'000;
constexpr int64_t kWaitNoteMs = 10'000;      // how often a session says for whom it waits
constexpr int64_t kCleanupTimeoutMs = 5'000;  // for calls whose answer nobody needs

// A device of another task, as far as placing needs it.
class KnownDevice final : public Device {
 public:
  explicit KnownDevice(tensorflow::DeviceAttributes attributes) : attributes_(std::move(attributes)) {}
  const tensorflow::DeviceAttributes& attributes() const override { return attributes_; }
  Allocator& allocator() override { return CpuAllocator(); }

 private:
  const tensorflow::DeviceAttributes attributes_;
};

bool OptimizerIsOn(const tensorflow::ConfigProto& config) {
  const auto& graph = config.graph_options();
  return graph.optimizer_options().opt_level() != tensorflow::OptimizerOptions::L0 &&
         !graph.rewrite_options().disable_meta_optimizer();
}

}  // namespace

// A step that runs. Lives until the last worker has answered.
struct MasterSession::Step {
  std::shared_ptr<MasterSession> session;
  std::shared_ptr<void> counted;
  std::shared_ptr<StepPlan> plan;
  int64_t id = 0;
  bool clean_up = true;  // a step in pieces goes on after this call
  CancelToken cancel;
  Alarms::Id alarm = 0;
  CancelToken* caller = nullptr;
  CancelToken::Id caller_tie = 0;
  CancelToken::Id session_tie = 0;
  Reply<RunStepReply> done;
  std::function<void(const Status&)> at_end;

  std::mutex mu;
  size_t left = 0;
  Status status;
  RunStepReply reply;
  std::vector<Tensor> values;     // by fetch
  std::vector<int> wanted;        // the fetches of this call
  std::vector<RunGraphReply> replies;

  void Fail(const Status& failed) {
    {
      std::lock_guard lock(mu);
      // What follows from another error is not its cause.
      if (!status.ok() && !(IsDerived(status) && !IsDerived(failed))) return;
      status = failed;
    }
    cancel.Cancel(MarkDerived(failed));
  }
  void Finish();
};

// A step that the client runs in pieces.
struct MasterSession::PartialRun {
  std::shared_ptr<StepPlan> plan;
  int64_t step_id = 0;
  std::mutex mu;
  std::vector<bool> fed;
  std::vector<bool> fetched;
  bool complete() const {
    for (bool done : fed)
      if (!done) return false;
    for (bool done : fetched)
      if (!done) return false;
    return true;
  }
};

std::string MasterSession::Signature::Key() const {
  return absl::StrCat(absl::StrJoin(feeds, ","), "\n", absl::StrJoin(fetches, ","), "\n", absl::StrJoin(targets, ","));
}

MasterSession::MasterSession(std::string handle, tensorflow::ConfigProto config, Dependencies dependencies)
    : handle_(std::move(handle)),
      config_(std::move(config)),
      dependencies_(std::move(dependencies)),
      graph_(std::make_shared<Graph>(dependencies_.registry)) {
  graph_->set_constant_evaluator(dependencies_.evaluator);
}

MasterSession::~MasterSession() = default;

Result<int64_t> MasterSession::Extend(const tensorflow::GraphDef& graph, int64_t version) {
  if (closed_.cancelled()) return closed_.reason();
  std::lock_guard compiling(compile_mu_);
  {
    std::lock_guard lock(mu_);
    if (version != version_) {
      return Aborted("the session's graph is at version {}, but the client extends version {}: two clients cannot extend "
                     "one session",
                     version_, version);
    }
  }
  ImportOptions options;
  options.extend = true;
  WEIR_TRY(ImportGraphDef(*graph_, graph, options).status());
  std::lock_guard lock(mu_);
  return ++version_;
}

Result<Output> MasterSession::FindOutput(const std::string& name, std::string_view what) const {
  const InputName parsed = ParseInputName(name);
  Node* node = parsed.is_control() ? nullptr : graph_->FindNode(std::string(parsed.node));
  if (node == nullptr || parsed.output >= node->num_outputs())
    return NotFound("{} {}: not found in the session's graph", what, name);
  return node->output(parsed.output);
}

// ---- plans ----

std::shared_ptr<StepPlan> MasterSession::FindPlan(const std::string& key) {
  std::lock_guard lock(mu_);
  auto it = plans_.find(key);
  return it == plans_.end() ? nullptr : it->second;
}

Result<std::shared_ptr<StepPlan>> MasterSession::GetPlan(const Signature& signature, CancelToken* cancel) {
  const std::string key = signature.Key();
  if (std::shared_ptr<StepPlan> known = FindPlan(key)) return known;
  std::lock_guard compiling(compile_mu_);
  if (std::shared_ptr<StepPlan> known = FindPlan(key)) return known;
  JoinedToken joined{cancel, &closed_};
  WEIR_ASSIGN(std::shared_ptr<StepPlan> plan, Compile(signature, joined.get()));
  std::lock_guard lock(mu_);
  plans_.emplace(key, plan);
  return plan;
}

bool MasterSession::Allowed(const std::string& task) const {
  if (config_.device_filters_size() == 0 || task == dependencies_.peers->own_task()) return true;
  Result<DeviceName> name = DeviceName::Parse(task);
  for (const std::string& filter : config_.device_filters()) {
    Result<DeviceName> wanted = DeviceName::Parse(filter);
    if (!wanted.ok() || !name.ok()) continue;
    wanted->type.reset();
    wanted->index.reset();
    if (wanted->Matches(*name)) return true;
  }
  return false;
}

Result<std::vector<tensorflow::DeviceAttributes>> MasterSession::DevicesOf(const std::string& task,
                                                                           CancelToken* cancel) {
  {
    std::lock_guard lock(mu_);
    if (auto it = devices_.find(task); it != devices_.end()) return it->second;
  }
  WEIR_ASSIGN(std::shared_ptr<WorkerService> worker, dependencies_.peers->Find(task));
  for (;;) {
    Result<tensorflow::GetStatusResponse> status =
        Await<tensorflow::GetStatusResponse>([&](Reply<tensorflow::GetStatusResponse> done) {
          worker->GetStatus({}, CallOptions{.timeout_ms = kWaitNoteMs, .cancel = cancel, .wait_for_ready = true},
                            std::move(done));
        });
    if (cancel->cancelled()) return cancel->reason();
    if (status.ok()) {
      std::vector<tensorflow::DeviceAttributes> devices(status->device_attributes().begin(),
                                                        status->device_attributes().end());
      std::lock_guard lock(mu_);
      devices_[task] = devices;
      return devices;
    }
    const StatusCode code = status.status().code();
    if (code != StatusCode::kDeadlineExceeded && code != StatusCode::kUnavailable) return status.status();
    LogInfo("CreateSession still waiting for response from worker: {} at {}", task, dependencies_.peers->AddressOf(task));
    if (code == StatusCode::kUnavailable) RealClock().SleepMicros(100'000);
  }
}

tensorflow::ServerDef MasterSession::ServerDefFor(const std::string& task) const {
  tensorflow::ServerDef def;
  if (Result<DeviceName> name = DeviceName::Parse(task); name.ok()) {
    def.set_job_name(name->job.value_or(""));
    def.set_task_index(name->task.value_or(0));
  }
  def.set_protocol("grpc");
  if (config_.has_cluster_def()) *def.mutable_cluster() = config_.cluster_def();
  return def;
}

Status MasterSession::OpenWorkerSession(const std::string& task, CancelToken* cancel) {
  {
    std::lock_guard lock(mu_);
    if (opened_.contains(task)) return OkStatus();
  }
  WEIR_ASSIGN(std::shared_ptr<WorkerService> worker, dependencies_.peers->Find(task));
  tensorflow::CreateWorkerSessionRequest request;
  request.set_session_handle(handle_);
  *request.mutable_server_def() = ServerDefFor(task);
  request.set_isolate_session_state(config_.isolate_session_state());
  request.set_master_task(dependencies_.peers->own_task());
  {
    std::lock_guard lock(mu_);
    for (const auto& [name, devices] : devices_) {
      for (const auto& device : devices) *request.add_cluster_device_attributes() = device;
      if (name == dependencies_.peers->own_task() && !devices.empty())
        request.set_master_incarnation(static_cast<int64_t>(devices[0].incarnation()));
    }
  }
  WEIR_TRY(Await<tensorflow::CreateWorkerSessionResponse>([&](Reply<tensorflow::CreateWorkerSessionResponse> done) {
             worker->CreateWorkerSession(std::move(request), CallOptions{.cancel = cancel}, std::move(done));
           }).status());
  std::lock_guard lock(mu_);
  opened_[task] = true;
  return OkStatus();
}

// Tasks that are not known yet are taken to have one CPU; those that nodes are placed on are asked, and if they turn out
// to be different, nodes are placed again. So only tasks that the graph names must be there.
Result<std::shared_ptr<StepPlan>> MasterSession::Compile(const Signature& signature, CancelToken* cancel) {
  std::vector<Output> feeds;
  std::vector<Output> fetches;
  std::vector<Node*> targets;
  for (const std::string& name : signature.feeds) {
    WEIR_ASSIGN(Output feed, FindOutput(name, "Feed"));
    feeds.push_back(feed);
  }
  for (const std::string& name : signature.fetches) {
    WEIR_ASSIGN(Output fetch, FindOutput(name, "Fetch"));
    fetches.push_back(fetch);
  }
  for (const std::string& name : signature.targets) {
    targets.push_back(graph_->FindNode(name));
    if (targets.back() == nullptr) return NotFound("Target {}: not found in the session's graph", name);
  }
  WEIR_ASSIGN(PlanGraph pruned, PruneGraph(*graph_, feeds, fetches, targets));
  const std::string& own = dependencies_.peers->own_task();
  WEIR_TRY(DevicesOf(own, cancel).status());
  std::vector<std::unique_ptr<Device>> devices;
  for (;;) {
    devices.clear();
    std::set<std::string> assumed;
    auto add = [&](const std::string& task) {
      std::lock_guard lock(mu_);
      if (auto it = devices_.find(task); it != devices_.end()) {
        for (const auto& attributes : it->second) devices.push_back(std::make_unique<KnownDevice>(attributes));
        return;
      }
      assumed.insert(task);
      tensorflow::DeviceAttributes attributes;
      attributes.set_name(task + "/device:CPU:0");
      attributes.set_device_type("CPU");
      devices.push_back(std::make_unique<KnownDevice>(std::move(attributes)));
    };
    add(own);
    for (const std::string& task : dependencies_.peers->Tasks()) {
      if (task != own && Allowed(task)) add(task);
    }
    PlacerOptions options{config_.allow_soft_placement(), false};
    Status placed = PlaceNodes(*graph_, devices, options, pruned);
    std::set<std::string> needed;
    if (placed.ok()) {
      for (const PlanGraph::Node& node : pruned.nodes) needed.insert(TaskOfDevice(node.placed->name()));
    } else {
      // Perhaps a task that the graph names has more devices than was assumed.
      for (const PlanGraph::Node& node : pruned.nodes) {
        Result<DeviceName> asked = DeviceName::Parse(node.device);
        if (!asked.ok() || !asked->type.has_value() || (*asked->type == "CPU" && asked->index.value_or(0) == 0)) continue;
        asked->type.reset();
        asked->index.reset();
        for (const std::string& task : assumed) {
          Result<DeviceName> name = DeviceName::Parse(task);
          if (name.ok() && asked->job.has_value() && asked->Matches(*name)) needed.insert(task);
        }
      }
    }
    bool learned = false;
    for (const std::string& task : needed) {
      if (!assumed.contains(task)) continue;
      WEIR_TRY(DevicesOf(task, cancel).status());
      learned = true;
    }
    if (learned) continue;  // incarnations and more devices are known now
    WEIR_TRY(placed);
    break;
  }
  if (config_.log_device_placement()) {
    for (const PlanGraph::Node& node : pruned.nodes)
      std::printf("%s: (%s): %s\n", node.name().c_str(), node.op().name.c_str(), node.placed->name().c_str());
    std::fflush(stdout);
  }
  const bool optimize = OptimizerIsOn(config_);
  const bool fold = optimize && config_.graph_options().rewrite_options().constant_folding() !=
                                    tensorflow::RewriterConfig::OFF;
  WEIR_TRY(RunPasses(pruned, PassOptions{fold, optimize, dependencies_.evaluator.get()}));
  WEIR_ASSIGN(Partitions partitions, PartitionGraph(pruned));

  auto plan = std::make_shared<StepPlan>();
  plan->feeds = pruned.feeds;
  plan->fetch_names = signature.fetches;
  plan->feeds_of_fetch = FeedsOfFetches(pruned);
  for (size_t k = 0; k < pruned.fetches.size(); ++k) {
    if (pruned.fetches[k].value.fed())
      plan->fed_fetches.push_back({static_cast<int>(k), pruned.fetches[k].value.output});
  }
  tensorflow::GraphDef whole;
  if (!graph_->functions().empty()) graph_->functions().ToProto(whole.mutable_library());
  for (Partition& partition : partitions.parts) {
    WEIR_TRY(OpenWorkerSession(partition.task, cancel));
    StepPlan::Part& part = plan->parts.emplace_back();
    part.task = partition.task;
    WEIR_ASSIGN(part.worker, dependencies_.peers->Find(partition.task));
    part.feeds = std::move(partition.feeds);
    part.fetches = std::move(partition.fetches);
    std::set<std::string_view> seen;
    for (const Partition::ClientEdge& fetch : part.fetches) {
      if (seen.insert(fetch.key).second) part.keys.push_back(fetch.key);
    }
    tensorflow::RegisterGraphRequest request;
    request.set_session_handle(handle_);
    request.set_create_worker_session_called(true);
    request.set_has_control_flow(partitions.has_flow);
    *request.mutable_graph_options() = config_.graph_options();
    *request.mutable_config_proto() = config_;
    *request.mutable_graph_def() = std::move(partition.graph);
    *request.mutable_graph_def()->mutable_library() = whole.library();
    request.mutable_graph_def()->mutable_versions()->set_producer(graph_->versions().producer);
    Result<tensorflow::RegisterGraphResponse> registered =
        Await<tensorflow::RegisterGraphResponse>([&](Reply<tensorflow::RegisterGraphResponse> done) {
          part.worker->RegisterGraph(std::move(request), CallOptions{.cancel = cancel}, std::move(done));
        });
    if (!registered.ok()) return registered.status();
    part.graph_handle = registered->graph_handle();
  }
  return plan;
}

// ---- steps ----

void MasterSession::RunStep(RunStepCall call, const CallOptions& options, Reply<RunStepReply> done) {
  if (closed_.cancelled()) return done(closed_.reason());
  if (!call.message.partial_run_handle().empty()) return RunPiece(std::move(call), options, std::move(done));
  Signature signature;
  std::vector<Tensor> feeds;
  for (NamedTensor& feed : call.tensors) {
    signature.feeds.push_back(std::move(feed.name));
    feeds.push_back(std::move(feed.tensor));
  }
  signature.fetches.assign(call.message.fetch().begin(), call.message.fetch().end());
  signature.targets.assign(call.message.target().begin(), call.message.target().end());
  tensorflow::RunOptions run_options = call.message.options();
  if (std::shared_ptr<StepPlan> plan = FindPlan(signature.Key()))
    return Run(plan, std::move(feeds), run_options, options, std::move(done));
  auto self = shared_from_this();
  dependencies_.blocking_pool.Schedule([self, signature = std::move(signature), feeds = std::move(feeds), run_options,
                                        options, done = std::move(done), counted = in_flight_.Enter()]() mutable {
    CancelToken deadline;
    int64_t timeout_ms = run_options.timeout_in_ms() > 0 ? run_options.timeout_in_ms()
                                                         : self->config_.operation_timeout_in_ms();
    const int64_t started = RealClock().MonotonicNanos();
    Alarms::Id alarm = 0;
    if (timeout_ms > 0)
      alarm = self->dependencies_.alarms.After(timeout_ms * kNanosPerMilli, [&deadline] {
        deadline.Cancel(DeadlineExceeded("Timed out waiting for the tasks of the step"));
      });
    Result<std::shared_ptr<StepPlan>> plan = [&] {
      JoinedToken joined{options.cancel, &deadline};
      return self->GetPlan(signature, joined.get());
    }();
    if (alarm != 0) self->dependencies_.alarms.Drop(alarm);
    if (!plan.ok()) return done(plan.status());
    if (timeout_ms > 0) {
      timeout_ms -= (RealClock().MonotonicNanos() - started) / kNanosPerMilli;
      run_options.set_timeout_in_ms(std::max<int64_t>(timeout_ms, 1));
    }
    self->Run(*plan, std::move(feeds), run_options, options, std::move(done));
  });
}

void MasterSession::Run(const std::shared_ptr<StepPlan>& plan, std::vector<Tensor> feeds,
                        const tensorflow::RunOptions& run_options, const CallOptions& options,
                        Reply<RunStepReply> done) {
  if (feeds.size() != plan->feeds.size())
    return done(InvalidArgument("Expected {} feed values, but got {}", plan->feeds.size(), feeds.size()));
  for (size_t k = 0; k < feeds.size(); ++k) {
    const PlanGraph::Feed& feed = plan->feeds[k];
    if (!feeds[k].valid()) return done(InvalidArgument("The value fed for Tensor '{}' is not a tensor", feed.name));
    if (feeds[k].dtype() != feed.dtype || !feed.shape.CompatibleWith(feeds[k].shape()))
      return done(InvalidArgument("Cannot feed a value of type {} and shape {} for Tensor '{}', which has type {} and shape {}",
                                  feeds[k].dtype(), feeds[k].shape(), feed.name, feed.dtype, feed.shape));
  }
  auto step = std::make_shared<Step>();
  step->session = shared_from_this();
  step->plan = plan;
  step->id = static_cast<int64_t>(dependencies_.rng.Next64() >> 8);
  step->done = std::move(done);
  step->caller = options.cancel;
  step->values.resize(plan->fetch_names.size());
  for (size_t k = 0; k < plan->fetch_names.size(); ++k) step->wanted.push_back(static_cast<int>(k));
  for (const StepPlan::FedFetch& fed : plan->fed_fetches) step->values[fed.fetch] = feeds[fed.feed];
  int64_t timeout_ms = run_options.timeout_in_ms();
  if (timeout_ms <= 0) timeout_ms = config_.operation_timeout_in_ms();
  if (timeout_ms > 0) {
    constexpr int64_t kMaxMillis = int64_t{1} << 40;
    step->alarm = dependencies_.alarms.After(std::min(timeout_ms, kMaxMillis) * kNanosPerMilli, [step] {
      step->Fail(DeadlineExceeded("Timed out waiting for notification"));
    });
  }
  const bool trace = run_options.trace_level() != tensorflow::RunOptions::NO_TRACE;
  std::vector<RunGraphCall> calls;
  for (const StepPlan::Part& part : plan->parts) {
    RunGraphCall& call = calls.emplace_back();
    call.message.set_session_handle(handle_);
    call.message.set_create_worker_session_called(true);
    call.message.set_graph_handle(part.graph_handle);
    call.message.set_step_id(step->id);
    if (trace) call.message.mutable_exec_opts()->set_record_timeline(true);
    if (run_options.output_partition_graphs()) call.message.mutable_exec_opts()->set_record_partition_graphs(true);
    for (const Partition::ClientEdge& feed : part.feeds) call.tensors.push_back({feed.key, feeds[feed.number]});
    for (const std::string& key : part.keys) call.message.add_recv_key(key);
  }
  Launch(step, std::move(calls));
}

void MasterSession::Launch(const std::shared_ptr<Step>& step, std::vector<RunGraphCall> calls) {
  step->counted = in_flight_.Enter();
  step->replies.resize(calls.size());
  step->left = calls.size() + 1;
  auto tie = [step](CancelToken* token) -> CancelToken::Id {
    if (token == nullptr) return 0;
    const CancelToken::Id id = token->Register([step, token] { step->Fail(token->reason()); });
    if (id == 0) step->Fail(token->reason());
    return id;
  };
  step->caller_tie = tie(step->caller);
  step->session_tie = tie(&closed_);
  for (size_t i = 0; i < calls.size(); ++i) {
    step->plan->parts[i].worker->RunGraph(std::move(calls[i]), CallOptions{.cancel = &step->cancel},
                                          [step, i](Result<RunGraphReply> reply) {
                                            if (reply.ok()) {
                                              step->replies[i] = *std::move(reply);
                                            } else {
                                              step->Fail(reply.status());
                                            }
                                            step->Finish();
                                          });
  }
  step->Finish();
}

// One answer less to wait for; the last one ends the step.
void MasterSession::Step::Finish() {
  {
    std::lock_guard lock(mu);
    if (--left > 0) return;
  }
  if (alarm != 0) session->dependencies_.alarms.Drop(alarm);
  if (caller_tie != 0) caller->Unregister(caller_tie);
  if (session_tie != 0) session->closed_.Unregister(session_tie);
  if (clean_up || !status.ok()) {
    for (const StepPlan::Part& part : plan->parts) {
      tensorflow::CleanupGraphRequest request;
      request.set_step_id(id);
      part.worker->CleanupGraph(std::move(request), CallOptions{.timeout_ms = kCleanupTimeoutMs},
                                [](const Result<tensorflow::CleanupGraphResponse>&) {});
    }
  }
  for (size_t i = 0; status.ok() && i < replies.size(); ++i) {
    absl::flat_hash_map<std::string_view, const Tensor*> received;
    for (const NamedTensor& named : replies[i].tensors) received.emplace(named.name, &named.tensor);
    for (const Partition::ClientEdge& fetch : plan->parts[i].fetches) {
      if (auto it = received.find(fetch.key); it != received.end()) values[fetch.number] = *it->second;
    }
    if (replies[i].message.has_step_stats())
      reply.message.mutable_metadata()->mutable_step_stats()->MergeFrom(replies[i].message.step_stats());
    for (const tensorflow::GraphDef& graph : replies[i].message.partition_graph())
      *reply.message.mutable_metadata()->add_partition_graphs() = graph;
  }
  for (int fetch : wanted) {
    if (!status.ok()) break;
    if (!values[fetch].valid()) status = Internal("no value came for {}", plan->fetch_names[fetch]);
    reply.tensors.push_back({plan->fetch_names[fetch], std::move(values[fetch])});
  }
  Reply<RunStepReply> answer = std::move(done);
  if (at_end) at_end(status);
  Result<RunStepReply> result = status.ok() ? Result<RunStepReply>(std::move(reply)) : Result<RunStepReply>(status);
  counted = nullptr;
  answer(std::move(result));
}

// ---- steps in pieces ----

Result<std::string> MasterSession::PartialRunSetup(const tensorflow::PartialRunSetupRequest& request,
                                                   CancelToken* cancel) {
  Signature signature;
  signature.feeds.assign(request.feed().begin(), request.feed().end());
  signature.fetches.assign(request.fetch().begin(), request.fetch().end());
  signature.targets.assign(request.target().begin(), request.target().end());
  auto partial = std::make_shared<PartialRun>();
  WEIR_ASSIGN(partial->plan, GetPlan(signature, cancel));
  partial->step_id = static_cast<int64_t>(dependencies_.rng.Next64() >> 8);
  partial->fed.assign(partial->plan->feeds.size(), false);
  partial->fetched.assign(partial->plan->fetch_names.size(), false);
  std::lock_guard lock(mu_);
  std::string handle = fmt::format("partial_run/{}", next_handle_++);
  partial_runs_.emplace(handle, std::move(partial));
  return handle;
}

void MasterSession::RunPiece(RunStepCall call, const CallOptions& options, Reply<RunStepReply> done) {
  const std::string handle = call.message.partial_run_handle();
  std::shared_ptr<PartialRun> partial;
  {
    std::lock_guard lock(mu_);
    auto it = partial_runs_.find(handle);
    if (it == partial_runs_.end()) return done(InvalidArgument("Must run 'setup' before performing partial runs!"));
    partial = it->second;
  }
  const StepPlan& plan = *partial->plan;
  auto step = std::make_shared<Step>();
  std::vector<Tensor> feeds(plan.feeds.size());
  bool last = false;
  {
    std::lock_guard lock(partial->mu);
    std::vector<bool> fed = partial->fed;
    for (NamedTensor& feed : call.tensors) {
      size_t k = 0;
      while (k < plan.feeds.size() && plan.feeds[k].name != feed.name) ++k;
      if (k == plan.feeds.size())
        return done(InvalidArgument("The feed {} was not specified in partial_run_setup.", feed.name));
      if (fed[k]) return done(InvalidArgument("The feed {} has already been fed.", feed.name));
      fed[k] = true;
      feeds[k] = std::move(feed.tensor);
    }
    for (const std::string& name : call.message.fetch()) {
      size_t k = 0;
      while (k < plan.fetch_names.size() && plan.fetch_names[k] != name) ++k;
      if (k == plan.fetch_names.size())
        return done(InvalidArgument("The fetch {} was not specified in partial_run_setup.", name));
      if (partial->fetched[k]) return done(InvalidArgument("The fetch {} has already been fetched.", name));
      for (size_t f = 0; f < fed.size(); ++f) {
        if (plan.feeds_of_fetch[k][f] && !fed[f])
          return done(InvalidArgument("Fetch {} can't be computed from the feeds that have been fed so far.", name));
      }
      step->wanted.push_back(static_cast<int>(k));
    }
    partial->fed = std::move(fed);
    for (int k : step->wanted) partial->fetched[k] = true;
    last = partial->complete();
  }
  step->session = shared_from_this();
  step->plan = partial->plan;
  step->id = partial->step_id;
  step->clean_up = last;
  step->caller = options.cancel;
  step->done = std::move(done);
  step->values.resize(plan.fetch_names.size());
  for (const StepPlan::FedFetch& fed : plan.fed_fetches) step->values[fed.fetch] = feeds[fed.feed];
  step->at_end = [this, handle, last](const Status& status) {
    if (status.ok() && !last) return;
    std::lock_guard lock(mu_);
    partial_runs_.erase(handle);
  };
  std::vector<RunGraphCall> calls;
  for (const StepPlan::Part& part : plan.parts) {
    RunGraphCall& piece = calls.emplace_back();
    piece.message.set_session_handle(handle_);
    piece.message.set_create_worker_session_called(true);
    piece.message.set_graph_handle(part.graph_handle);
    piece.message.set_step_id(partial->step_id);
    piece.message.set_is_partial(true);
    piece.message.set_is_last_partial_run(last);
    for (const Partition::ClientEdge& feed : part.feeds) {
      if (feeds[feed.number].valid()) piece.tensors.push_back({feed.key, feeds[feed.number]});
    }
    std::set<std::string> keys;
    for (const Partition::ClientEdge& fetch : part.fetches) {
      for (int wanted : step->wanted) {
        if (wanted == fetch.number && keys.insert(fetch.key).second) piece.message.add_recv_key(fetch.key);
      }
    }
  }
  Launch(step, std::move(calls));
}

// ---- callables ----

Result<int64_t> MasterSession::MakeCallable(const tensorflow::CallableOptions& options, CancelToken* cancel) {
  if (options.tensor_connection_size() > 0) return Unimplemented("callables with tensor connections");
  Signature signature;
  signature.feeds.assign(options.feed().begin(), options.feed().end());
  signature.fetches.assign(options.fetch().begin(), options.fetch().end());
  signature.targets.assign(options.target().begin(), options.target().end());
  WEIR_ASSIGN(std::shared_ptr<StepPlan> plan, GetPlan(signature, cancel));
  std::lock_guard lock(mu_);
  const int64_t handle = next_handle_++;
  callables_.emplace(handle, std::pair(std::move(plan), options.run_options()));
  return handle;
}

void MasterSession::RunCallable(RunCallableCall call, const CallOptions& options, Reply<RunCallableReply> done) {
  if (closed_.cancelled()) return done(closed_.reason());
  std::pair<std::shared_ptr<StepPlan>, tensorflow::RunOptions> callable;
  {
    std::lock_guard lock(mu_);
    auto it = callables_.find(call.message.handle());
    if (it == callables_.end()) return done(InvalidArgument("No such callable handle: {}", call.message.handle()));
    callable = it->second;
  }
  std::vector<Tensor> feeds;
  for (NamedTensor& feed : call.tensors) feeds.push_back(std::move(feed.tensor));
  Run(callable.first, std::move(feeds), callable.second, options,
      [done = std::move(done)](Result<RunStepReply> reply) {
        if (!reply.ok()) return done(reply.status());
        RunCallableReply result;
        result.tensors = std::move(reply->tensors);
        *result.message.mutable_metadata() = std::move(*reply->message.mutable_metadata());
        done(std::move(result));
      });
}

Status MasterSession::ReleaseCallable(int64_t handle) {
  std::lock_guard lock(mu_);
  if (callables_.erase(handle) == 0) return InvalidArgument("No such callable handle: {}", handle);
  return OkStatus();
}

// ---- the rest ----

Result<tensorflow::ListDevicesResponse> MasterSession::ListDevices(CancelToken* cancel) {
  JoinedToken joined{cancel, &closed_};
  tensorflow::ListDevicesResponse response;
  for (const std::string& task : dependencies_.peers->Tasks()) {
    if (!Allowed(task)) continue;
    WEIR_ASSIGN(const auto devices, DevicesOf(task, joined.get()));
    for (const tensorflow::DeviceAttributes& device : devices)
      *(task == dependencies_.peers->own_task() ? response.add_local_device() : response.add_remote_device()) = device;
  }
  return response;
}

void MasterSession::Close() {
  closed_.Cancel(Cancelled("Session has been closed."));
  in_flight_.WaitForNone();
  std::map<std::string, bool> opened;
  decltype(partial_runs_) partials;
  {
    std::lock_guard lock(mu_);
    opened.swap(opened_);
    partials.swap(partial_runs_);
    plans_.clear();
    callables_.clear();
  }
  for (const auto& [handle, partial] : partials) {
    for (const StepPlan::Part& part : partial->plan->parts) {
      tensorflow::CleanupGraphRequest request;
      request.set_step_id(partial->step_id);
      part.worker->CleanupGraph(std::move(request), CallOptions{.timeout_ms = kCleanupTimeoutMs},
                                [](const Result<tensorflow::CleanupGraphResponse>&) {});
    }
  }
  for (const auto& [task, unused] : opened) {
    Result<std::shared_ptr<WorkerService>> worker = dependencies_.peers->Find(task);
    if (!worker.ok()) continue;
    tensorflow::DeleteWorkerSessionRequest request;
    request.set_session_handle(handle_);
    (*worker)->DeleteWorkerSession(std::move(request), CallOptions{.timeout_ms = kCleanupTimeoutMs},
                                   [](const Result<tensorflow::DeleteWorkerSessionResponse>&) {});
  }
}

}  // namespace weir

// A step is known here from its first call, RunGraph or a RecvTensor of a faster task. It is discarded by CleanupGraph,
// or when it has run and no task waits for its values.
#include "cluster/worker.h"

#include <algorithm>
#include <set>

#include "absl/container/inlined_vector.h"
#include "base/log.h"
#include "base/out_of_memory.h"
#include "cluster/chunks.h"
#include "cluster/registered_graph.h"
#include "cluster/sent_values.h"
#include "device/renamed_device.h"
#include "op/joined_token.h"
#include "op/rendezvous_key.h"
#include "runtime/first_answer.h"
#include "runtime/partial_step.h"
#include "runtime/partition.h"
#include "runtime/step_trace.h"

namespace weir {

// A session that a master has opened. The default session, for masters that open none, has an empty handle.
struct Worker::WorkerSession {
  explicit WorkerSession(size_t kept_response_bytes)
      : responses(std::make_shared<Responses>(Responses::Options{.max_bytes = kept_response_bytes})) {}
  // Breaks a reference cycle: iterators with shared names hold a reference to the resources that they are stored in.
  ~WorkerSession() {
    if (isolated) resources->ClearAll();
  }
  std::string handle;
  std::string owner;   // the name of the caller who has created it; empty if that was a trusted one
  std::string master;  // "TASK at ADDRESS" of the master that opened it, and its incarnation
  int64_t master_incarnation = 0;
  // Guarded by the worker's lock:
  int64_t lease_nanos = 0;  // 0: the session lasts until it is closed
  int64_t renewed = 0;      // when the master last renewed the lease
  std::shared_ptr<ResourceManager> resources;
  bool isolated = false;  // the resources belong to this session alone
  std::shared_ptr<Peers> peers;
  std::shared_ptr<const Devices> devices;
  std::shared_ptr<NamedKernels> stateful = std::make_shared<NamedKernels>();
  const std::shared_ptr<Responses> responses;
  std::vector<int64_t> kept_steps;  // the step that keeps values, by slot - 1; 0: none. Guarded by the worker's lock
  std::mutex mu;
  std::map<std::string, std::shared_ptr<RegisteredGraph>> graphs;
};

struct Worker::ActiveStep {
  ActiveStep(int64_t id, std::shared_ptr<void> counted_here)
      : rendezvous(MakeIntrusive<StepRendezvous>(id)), counted(std::move(counted_here)) {}
  const IntrusivePtr<StepRendezvous> rendezvous;
  CancelToken cancel;
  SentValues sent;
  // Guarded by the worker's lock:
  std::shared_ptr<void> counted;           // null if the step only keeps values
  std::shared_ptr<WorkerSession> session;  // set by RunGraph
  int running = 0;                         // number of RunGraph calls
  int waiting = 0;                         // number of receives of other tasks that are not complete
  uint64_t num_receives = 0;               // number of receives of other tasks so far
  std::shared_ptr<PartialStep> partial;    // for partial runs; set by the first piece

  std::mutex mu;
  struct ChunkedSend {
    ChunkSource from;
    std::vector<bool> sent;  // by the number of the chunk
    size_t left = 0;         // number of chunks that were not sent yet
  };
  std::map<std::string, ChunkedSend>
      in_chunks;  // values that other tasks receive chunk by chunk, by key; guarded by mu

  void End(const Status& reason) {
    cancel.Cancel(reason);
    rendezvous->Abort(reason);
  }
};

namespace {

Status SessionClosed() { return MarkDerived(Aborted("the session was closed")); }

Status UnknownSession(const std::string& handle, const std::string& task) {
  return Aborted(
      "Session handle is not found: {}. {} does not know this session, possibly because the task was restarted, or the "
      "session's master did not renew its lease: make a new session",
      handle, task);
}

// A task may only speak for itself: the sessions of a former run of the named master end.
Status CheckMasterTask(const std::string& master_task, const PeerIdentity& caller) {
  if (caller.role != Role::kTask || master_task.empty()) return OkStatus();
  const std::string named = TaskUri(master_task.substr(0, master_task.find(' ')));
  if (named == TaskUriOf(caller)) return OkStatus();
  return MakeStatus(StatusCode::kPermissionDenied,
                    fmt::format("{} may not create sessions for {}", caller.ToString(), EscapeForLog(master_task)));
}

int64_t LeaseOf(const tensorflow::CreateWorkerSessionRequest& request) {
  constexpr int64_t kMostMs = int64_t{1} << 40;
  return std::clamp<int64_t>(request.weir_lease_ms(), 0, kMostMs) * kNanosPerMilli;
}

}  // namespace

Worker::Worker(std::string task, std::vector<std::unique_ptr<Device>> devices, Dependencies dependencies)
    : task_(std::move(task)),
      devices_(std::make_shared<const Devices>(std::move(devices))),
      dependencies_(dependencies),
      resources_(std::make_shared<ResourceManager>()) {}

Worker::~Worker() {
  Stop(Cancelled("the worker {} has ended", task_));
  in_flight_.WaitForNone();
  resources_->ClearAll();  // breaks the reference cycle of iterators with shared names
}

void Worker::Stop(const Status& reason) {
  end_notice_.Send(reason);
  stop_.Cancel(reason);
  std::map<int64_t, std::shared_ptr<ActiveStep>> steps;
  Alarms::Id alarm = 0;
  {
    std::lock_guard lock(mu_);
    steps.swap(steps_);
    watches_leases_ = false;
    alarm = std::exchange(lease_alarm_, 0);
  }
  if (alarm != 0) dependencies_.alarms->Cancel(alarm);
  for (const auto& [id, step] : steps) step->End(reason);
}

Worker::Usage Worker::usage() const {
  std::lock_guard lock(mu_);
  Usage usage{.sessions = static_cast<int>(sessions_.size())};
  for (const auto& [id, step] : steps_) usage.steps += step->counted != nullptr ? 1 : 0;
  for (const auto& [handle, session] : sessions_) {
    std::lock_guard session_lock(session->mu);
    usage.graphs += static_cast<int>(session->graphs.size());
  }
  usage.has_calls_in_flight = !in_flight_.none();
  return usage;
}

void Worker::Drain(int64_t timeout_ms) {
  std::vector<std::shared_ptr<Responses>> responses;
  {
    std::lock_guard lock(mu_);
    draining_ = true;
    for (const auto& [handle, session] : sessions_) responses.push_back(session->responses);
  }
  for (const std::shared_ptr<Responses>& kept : responses) kept->EndOrphans();
  EndStepsOfLostMasters(timeout_ms);
  in_flight_.WaitForNone(timeout_ms);
}

// Where a part is running, its call tells whether the master is gone. A step whose parts have ended, or whose next
// piece did not come yet, only keeps values for others: asks for its master.
void Worker::EndStepsOfLostMasters(int64_t timeout_ms) {
  std::set<std::shared_ptr<WorkerSession>> sessions;
  {
    std::lock_guard lock(mu_);
    for (const auto& [id, step] : steps_) {
      if (step->counted != nullptr && step->running == 0 && step->session != nullptr && !step->session->master.empty())
        sessions.insert(step->session);
    }
  }
  for (const std::shared_ptr<WorkerSession>& session : sessions) {
    const std::string task = session->master.substr(0, session->master.find(' '));  // without its address
    const Result<std::shared_ptr<WorkerService>> master = session->peers->Find(task);
    if (!master.ok()) continue;
    (*master)->GetStatus(
        {}, CallOptions{.timeout_ms = timeout_ms},
        [this, session, counted = in_flight_.Enter()](const Result<tensorflow::GetStatusResponse>& status) mutable {
          if (status.status().code() != StatusCode::kUnavailable) return;
          // Ending steps takes long: not on the thread of the transport.
          dependencies_.parts.blocking_pool.Schedule([this, session, counted = std::move(counted)] {
            EndStepsOf(session,
                       Aborted("{} is stopping and cannot reach {}, the master of the step", task_, session->master));
          });
        });
  }
}

std::string Worker::NewHandle() {
  std::lock_guard lock(mu_);
  return fmt::format("{:016x}", next_handle_++);
}

void Worker::GetStatus(tensorflow::GetStatusRequest, const CallOptions&, Reply<tensorflow::GetStatusResponse> done) {
  tensorflow::GetStatusResponse response;
  for (const auto& device : *devices_) *response.add_device_attributes() = device->attributes();
  done(std::move(response));
}

void Worker::CreateWorkerSession(tensorflow::CreateWorkerSessionRequest request, const CallOptions& options,
                                 Reply<tensorflow::CreateWorkerSessionResponse> done) {
  if (options.cancel != nullptr && options.cancel->cancelled()) return done(options.cancel->reason());
  if (request.weir_renew()) {
    if (Status status = RenewLease(request); !status.ok()) return done(status);
    return done(tensorflow::CreateWorkerSessionResponse());
  }
  if (Status status = CheckMasterTask(request.master_task(), *options.caller); !status.ok()) return done(status);
  auto session = std::make_shared<WorkerSession>(dependencies_.kept_response_bytes);
  session->handle = request.session_handle();
  session->owner = options.caller->name;
  session->isolated = request.isolate_session_state();
  session->resources = session->isolated ? std::make_shared<ResourceManager>() : resources_;
  session->peers = peers_;
  session->devices = devices_;
  if (request.server_def().cluster().job_size() > 0) {
    if (Status status = UseSessionCluster(request.server_def(), session.get()); !status.ok()) return done(status);
  }
  session->master = request.master_task();
  session->master_incarnation = request.master_incarnation();
  session->lease_nanos = LeaseOf(request);
  std::vector<std::shared_ptr<WorkerSession>> removed;
  {
    std::lock_guard lock(mu_);
    // A restarted master does not know the sessions that its previous incarnation opened.
    for (auto it = sessions_.begin(); it != sessions_.end();) {
      const WorkerSession& other = *it->second;
      const bool orphan = !session->master.empty() && other.master == session->master &&
                          other.master_incarnation != session->master_incarnation;
      if (orphan) removed.push_back(std::move(it->second));
      it = orphan ? sessions_.erase(it) : std::next(it);
    }
    // Does not change an existing session, because the master may retry after the response was lost.
    const auto [it, is_new] = sessions_.try_emplace(request.session_handle(), std::move(session));
    it->second->renewed = dependencies_.clock.MonotonicNanos();
    WatchLeasesLocked();
  }
  for (const std::shared_ptr<WorkerSession>& orphan : removed) EndStepsOf(orphan, SessionClosed());
  tensorflow::CreateWorkerSessionResponse response;
  if (request.weir_resends()) response.set_weir_resends(true);
  done(std::move(response));
}

Status Worker::UseSessionCluster(const tensorflow::ServerDef& def, WorkerSession* session) {
  WEIR_ASSIGN(ClusterSpec cluster, ClusterSpec::FromProto(def.cluster()));
  const Status known = cluster.TaskAddress(def.job_name(), def.task_index()).status();
  if (!known.ok())
    return InvalidArgument("{} is not the task that the session's cluster names: {}", task_,
                           std::string(known.message()));
  const std::string name = TaskName(def.job_name(), def.task_index());
  session->peers = std::make_shared<Peers>(std::move(cluster), dependencies_.transport, name, this);
  Devices renamed;
  for (const auto& device : *devices_) renamed.push_back(RenameDevice(*device, name));
  session->devices = std::make_shared<const Devices>(std::move(renamed));
  return OkStatus();
}

Status Worker::RenewLease(const tensorflow::CreateWorkerSessionRequest& request) {
  std::lock_guard lock(mu_);
  auto it = sessions_.find(request.session_handle());
  if (it == sessions_.end()) return UnknownSession(request.session_handle(), task_);
  it->second->lease_nanos = LeaseOf(request);
  it->second->renewed = dependencies_.clock.MonotonicNanos();
  WatchLeasesLocked();
  return OkStatus();
}

void Worker::WatchLeasesLocked() {
  if (dependencies_.alarms == nullptr || !watches_leases_ || lease_alarm_ != 0) return;
  std::optional<int64_t> next;
  for (const auto& [handle, session] : sessions_) {
    if (session->lease_nanos == 0) continue;
    const int64_t end = session->renewed + session->lease_nanos;
    next = std::min(next.value_or(end), end);
  }
  if (!next.has_value()) return;
  const int64_t left = std::max<int64_t>(0, *next - dependencies_.clock.MonotonicNanos());
  lease_alarm_ = dependencies_.alarms->After(left, [this] { EndLeases(); });
}

void Worker::EndLeases() {
  std::vector<std::shared_ptr<WorkerSession>> ended;
  std::shared_ptr<void> counted;
  {
    std::lock_guard lock(mu_);
    lease_alarm_ = 0;
    if (!watches_leases_) return;
    const int64_t now = dependencies_.clock.MonotonicNanos();
    for (auto it = sessions_.begin(); it != sessions_.end();) {
      const bool is_over = it->second->lease_nanos > 0 && it->second->renewed + it->second->lease_nanos <= now;
      if (is_over) ended.push_back(std::move(it->second));
      it = is_over ? sessions_.erase(it) : std::next(it);
    }
    WatchLeasesLocked();
    if (!ended.empty()) counted = in_flight_.Enter();
  }
  if (ended.empty()) return;
  // Ending steps and destroying graphs take long: not on the thread of the alarms.
  dependencies_.parts.blocking_pool.Schedule([this, ended = std::move(ended), counted = std::move(counted)]() mutable {
    for (std::shared_ptr<WorkerSession>& session : ended) {
      const Status reason =
          Aborted("{} has closed session {}: its master, {}, did not renew it for {} ms (WEIR_SESSION_LEASE_MS)", task_,
                  session->handle, session->master, session->lease_nanos / kNanosPerMilli);
      LogWarning("{}", std::string(reason.message()));
      EndStepsOf(session, reason);
      session = nullptr;
    }
  });
}

void Worker::EndStepsOf(const std::shared_ptr<WorkerSession>& session, const Status& reason) {
  std::vector<std::shared_ptr<ActiveStep>> steps;
  {
    std::lock_guard lock(mu_);
    for (auto it = steps_.begin(); it != steps_.end();) {
      if (it->second->session != session) {
        ++it;
        continue;
      }
      steps.push_back(std::move(it->second));
      it = steps_.erase(it);
    }
  }
  for (const std::shared_ptr<ActiveStep>& step : steps) step->End(reason);
}

void Worker::DeleteWorkerSession(tensorflow::DeleteWorkerSessionRequest request, const CallOptions&,
                                 Reply<tensorflow::DeleteWorkerSessionResponse> done) {
  std::shared_ptr<WorkerSession> removed;
  {
    std::lock_guard lock(mu_);
    auto it = sessions_.find(request.session_handle());
    if (it != sessions_.end()) {
      removed = std::move(it->second);
      sessions_.erase(it);
    }
  }
  if (removed != nullptr) EndStepsOf(removed, SessionClosed());
  done(tensorflow::DeleteWorkerSessionResponse());
}

Result<std::shared_ptr<Worker::WorkerSession>> Worker::FindSession(const std::string& handle, bool created) {
  std::lock_guard lock(mu_);
  auto it = sessions_.find(created ? handle : "");
  if (it != sessions_.end()) return it->second;
  if (created) return UnknownSession(handle, task_);
  auto session = std::make_shared<WorkerSession>(dependencies_.kept_response_bytes);
  session->resources = resources_;
  session->peers = peers_;
  session->devices = devices_;
  sessions_.emplace("", session);
  return session;
}

Result<std::shared_ptr<RegisteredGraph>> Worker::FindGraph(WorkerSession& session, const std::string& handle) {
  std::lock_guard lock(session.mu);
  auto it = session.graphs.find(handle);
  if (it == session.graphs.end()) {
    return Aborted(
        "Graph handle is not found: {}. {} does not know this graph, possibly because the task was restarted: make a "
        "new session",
        handle, task_);
  }
  return it->second;
}

void Worker::RegisterGraph(tensorflow::RegisterGraphRequest request, const CallOptions& options,
                           Reply<tensorflow::RegisterGraphResponse> done) {
  // Importing and compiling take long: not on the caller's thread.
  auto shared = std::make_shared<tensorflow::RegisterGraphRequest>(std::move(request));
  dependencies_.parts.blocking_pool.Schedule(
      [this, shared, cancel = options.cancel, done = std::move(done), counted = in_flight_.Enter()] {
        done(CatchOutOfMemory("RegisterGraph", [&] {
          JoinedToken either{cancel, &stop_};
          return Register(*shared, *either.get());
        }));
      });
}

Result<tensorflow::RegisterGraphResponse> Worker::Register(const tensorflow::RegisterGraphRequest& request,
                                                           const CancelToken& cancel) {
  WEIR_ASSIGN(std::shared_ptr<WorkerSession> session,
              FindSession(request.session_handle(), request.create_worker_session_called()));
  WEIR_ASSIGN(std::shared_ptr<RegisteredGraph> graph,
              RegisteredGraph::Make(
                  request,
                  RegisteredGraph::Dependencies{dependencies_.parts.registry, dependencies_.parts.env, session->devices,
                                                session->resources, session->stateful, session->handle},
                  &cancel));
  tensorflow::RegisterGraphResponse response;
  response.set_graph_handle(NewHandle());
  std::lock_guard lock(session->mu);
  session->graphs.emplace(response.graph_handle(), std::move(graph));
  return response;
}

void Worker::DeregisterGraph(tensorflow::DeregisterGraphRequest request, const CallOptions&,
                             Reply<tensorflow::DeregisterGraphResponse> done) {
  Result<std::shared_ptr<WorkerSession>> session =
      FindSession(request.session_handle(), request.create_worker_session_called());
  if (!session.ok()) return done(session.status());
  std::shared_ptr<RegisteredGraph> removed;
  {
    std::lock_guard lock((*session)->mu);
    if (auto it = (*session)->graphs.find(request.graph_handle()); it != (*session)->graphs.end()) {
      removed = std::move(it->second);
      (*session)->graphs.erase(it);
    }
  }
  if (removed == nullptr) return done(Aborted("Graph handle is not found: {}", request.graph_handle()));
  done(tensorflow::DeregisterGraphResponse());
}

std::shared_ptr<Worker::ActiveStep> Worker::StepFor(int64_t id) {
  std::shared_ptr<ActiveStep>& step = steps_[id];
  if (step == nullptr) step = std::make_shared<ActiveStep>(id, in_flight_.Enter());
  if (step->counted == nullptr) step->counted = in_flight_.Enter();
  return step;
}

void Worker::RunGraph(RunGraphCall call, const CallOptions& options, Reply<RunGraphReply> done) {
  const tensorflow::RunGraphRequest& request = call.message;
  Result<std::shared_ptr<WorkerSession>> session =
      FindSession(request.session_handle(), request.create_worker_session_called());
  if (!session.ok()) return done(session.status());
  if (request.weir_slot() > 0) {
    // The calls of another task must not find the responses of this one.
    if (Status status = dependencies_.access.CheckOwner(*options.caller, (*session)->owner, (*session)->handle);
        !status.ok())
      return done(status);
  }
  Result<std::shared_ptr<RegisteredGraph>> graph = FindGraph(**session, request.graph_handle());
  if (!graph.ok()) return done(graph.status());
  if (stop_.cancelled()) return done(stop_.reason());
  // A broken connection does not cancel a call that may be sent again. If its master does not come back, the session's
  // lease ends.
  CancelToken* cancel = options.cancel;
  if (request.weir_slot() > 0 && !request.is_partial()) {
    const Responses::CallPtr known =
        (*session)->responses->Begin({request.weir_slot(), request.weir_sequence()}, options.cancel, std::move(done));
    if (known == nullptr) return;
    known->repeatable = (*graph)->repeatable();
    cancel = &known->cancel;
    done = [session = *session, known](Result<RunGraphReply> reply) {
      session->responses->End(known, std::move(reply));
    };
  }
  std::shared_ptr<ActiveStep> step;
  int64_t former = 0;  // the slot's previous step, whose values have arrived
  {
    std::lock_guard lock(mu_);
    if (!draining_ || steps_.contains(request.step_id())) {
      step = StepFor(request.step_id());
      step->session = *session;
      ++step->running;
      former = ReplaceKeptStep(**session, request);
    }
  }
  if (former != 0) ForgetValues(former);
  if (step == nullptr) return done(Unavailable("{} is stopping", task_));
  step->rendezvous->set_peers((*session)->peers);
  if (request.weir_keeps_values()) {
    step->sent.KeepValues();
    step->rendezvous->SendRequestsAgain(dependencies_.alarms);
  }
  if (call.own_values != nullptr) step->rendezvous->set_own_values(std::move(call.own_values));
  done = [this, step, id = request.step_id(), cancel, done = std::move(done)](Result<RunGraphReply> reply) {
    // A master that has given up also calls CleanupGraph, but that may have arrived before this call.
    ReleaseStep(step, id, &ActiveStep::running, /*given_up=*/cancel != nullptr && cancel->cancelled());
    done(std::move(reply));
  };
  if (request.is_partial()) return RunPartial(*session, *graph, step, std::move(call), cancel, std::move(done));
  StartStep(*session, *graph, step, std::move(call), cancel, std::move(done));
}

int64_t Worker::ReplaceKeptStep(WorkerSession& session, const tensorflow::RunGraphRequest& request) {
  const size_t slot = request.weir_slot();
  std::vector<int64_t>& steps = session.kept_steps;
  if (slot == 0 || slot > kMaxCallSlots || (slot > steps.size() && !request.weir_keeps_values())) return 0;
  if (slot > steps.size()) steps.resize(slot);
  const int64_t former = std::exchange(steps[slot - 1], request.weir_keeps_values() ? request.step_id() : 0);
  return former == request.step_id() ? 0 : former;
}

void Worker::ForgetValues(int64_t id) {
  std::shared_ptr<ActiveStep> step;
  {
    std::lock_guard lock(mu_);
    if (auto it = steps_.find(id); it != steps_.end()) step = it->second;
  }
  if (step == nullptr) return;
  step->sent.Clear();
  ReleaseStep(step, id, /*users=*/nullptr, /*given_up=*/true);
}

// State that a step needs until its end.
struct Worker::StepState {
  std::shared_ptr<void> counted;
  std::shared_ptr<RegisteredGraph> graph;
  std::shared_ptr<WorkerSession> session;
  std::optional<StepTrace> trace;
  RunGraphCall call;
};

StepArgs Worker::ArgsFor(const StepState& state, ActiveStep& step, int64_t id) {
  StepArgs args;
  args.context.step_id = id;
  args.context.pool = &dependencies_.parts.pool;
  args.context.blocking_pool = &dependencies_.parts.blocking_pool;
  args.context.env = &dependencies_.parts.env;
  args.context.resources = state.session->resources.get();
  args.context.functions = state.graph->kernel_state()->functions.get();
  args.context.py_functions = dependencies_.parts.py_functions;
  args.context.may_end_process = dependencies_.parts.may_end_process;
  args.context.rendezvous = step.rendezvous;
  args.context.session_handle = &state.graph->kernel_state()->session_handle;
  args.context.keep_alive = state.graph->kernel_state();
  args.pool = &dependencies_.parts.pool;
  args.clock = &dependencies_.clock;
  args.cancelled_by = {&stop_, &step.cancel};
  return args;
}

namespace {

using Numbers = absl::InlinedVector<int, 8>;

// The number of the feed for each tensor of a call. Checks the types.
Result<Numbers> FeedNumbers(RegisteredGraph& graph, const RunGraphCall& call) {
  Numbers numbers;
  numbers.reserve(call.tensors.size());
  for (const NamedTensor& sent : call.tensors) {
    numbers.push_back(graph.FeedNumber(sent.name));
    if (numbers.back() < 0) return InvalidArgument("the registered graph has no feed with key '{}'", sent.name);
    const PlanGraph::Feed& feed = graph.executor().plan().feeds[numbers.back()].what;
    if (!sent.tensor.valid()) return InvalidArgument("missing value for feed '{}'", feed.name);
    if (sent.tensor.dtype() != feed.dtype)
      return InvalidArgument("the value for feed '{}' has type {}, expected {}", feed.name, sent.tensor.dtype(),
                             feed.dtype);
  }
  return numbers;
}

Result<Numbers> FetchNumbers(const RegisteredGraph& graph, const tensorflow::RunGraphRequest& request) {
  Numbers numbers;
  numbers.reserve(request.recv_key_size());
  for (const std::string& key : request.recv_key()) {
    numbers.push_back(graph.FetchNumber(key));
    if (numbers.back() < 0) return InvalidArgument("the registered graph has no fetch with key '{}'", key);
  }
  return numbers;
}

}  // namespace

void Worker::StartStep(const std::shared_ptr<WorkerSession>& session, const std::shared_ptr<RegisteredGraph>& graph,
                       const std::shared_ptr<ActiveStep>& step, RunGraphCall call, CancelToken* cancel,
                       Reply<RunGraphReply> done) {
  auto state = std::make_shared<StepState>();
  state->counted = in_flight_.Enter();
  state->graph = graph;
  state->session = session;
  state->call = std::move(call);
  const tensorflow::RunGraphRequest& request = state->call.message;
  std::vector<Tensor> feeds(graph->num_feeds());
  const Result<Numbers> feed_numbers = FeedNumbers(*graph, state->call);
  if (!feed_numbers.ok()) return done(feed_numbers.status());
  for (size_t i = 0; i < feed_numbers->size(); ++i)
    feeds[(*feed_numbers)[i]] = std::move(state->call.tensors[i].tensor);
  const Plan& plan = graph->executor().plan();
  for (size_t k = 0; k < feeds.size(); ++k) {
    if (!feeds[k].valid()) return done(InvalidArgument("missing value for feed '{}'", plan.feeds[k].what.name));
  }
  Result<Numbers> fetches = FetchNumbers(*graph, request);
  if (!fetches.ok()) return done(fetches.status());
  StepArgs args = ArgsFor(*state, *step, request.step_id());
  if (cancel != nullptr) args.cancelled_by.push_back(cancel);
  args.private_fetches = true;
  if (request.exec_opts().record_timeline()) args.trace = &state->trace.emplace();
  graph->executor().Start(
      args, std::move(feeds),
      [state, step, fetches = *std::move(fetches), done = std::move(done)](Result<std::vector<Tensor>> values) {
        if (!values.ok()) return done(values.status());
        RunGraphReply reply;
        for (size_t i = 0; i < fetches.size(); ++i)
          reply.tensors.push_back({state->call.message.recv_key(static_cast<int>(i)), (*values)[fetches[i]]});
        if (state->trace) state->trace->WriteTo(reply.message.mutable_step_stats());
        if (state->call.message.exec_opts().record_partition_graphs())
          ExportPlan(state->graph->executor().plan(), reply.message.add_partition_graph());
        done(std::move(reply));
      });
}

// The first piece starts the step.
void Worker::RunPartial(const std::shared_ptr<WorkerSession>& session, const std::shared_ptr<RegisteredGraph>& graph,
                        const std::shared_ptr<ActiveStep>& step, RunGraphCall call, CancelToken* cancel,
                        Reply<RunGraphReply> done) {
  const Result<Numbers> feed_numbers = FeedNumbers(*graph, call);
  if (!feed_numbers.ok()) return done(feed_numbers.status());
  Result<Numbers> fetches = FetchNumbers(*graph, call.message);
  if (!fetches.ok()) return done(fetches.status());
  Result<std::shared_ptr<Executor>> executor = graph->PartialExecutor();
  if (!executor.ok()) return done(executor.status());
  std::vector<PartialStep::PieceFeed> feeds;
  for (size_t i = 0; i < feed_numbers->size(); ++i)
    feeds.push_back({(*feed_numbers)[i], std::move(call.tensors[i].tensor)});
  std::shared_ptr<PartialStep> partial;
  bool is_first = false;
  {
    std::lock_guard lock(mu_);
    is_first = step->partial == nullptr;
    if (is_first) step->partial = std::make_shared<PartialStep>(*executor);
    partial = step->partial;
  }
  // A step runs one part per worker. Reject a master that sends pieces of different graphs.
  if (&partial->plan() != &(*executor)->plan())
    return done(InvalidArgument("the pieces of a partial run belong to different graphs"));
  if (is_first) {
    auto state = std::make_shared<StepState>();
    state->counted = in_flight_.Enter();
    state->graph = graph;
    state->session = session;
    partial->Start(ArgsFor(*state, *step, call.message.step_id()), [state, step] {});
  }
  const bool last = call.message.is_last_partial_run();
  partial->RunPiece(std::move(feeds), {fetches->begin(), fetches->end()}, last, cancel,
                    [message = std::move(call.message), done = std::move(done)](Result<std::vector<Tensor>> values) {
                      if (!values.ok()) return done(values.status());
                      RunGraphReply reply;
                      for (size_t i = 0; i < values->size(); ++i)
                        reply.tensors.push_back({message.recv_key(static_cast<int>(i)), std::move((*values)[i])});
                      done(std::move(reply));
                    });
}

void Worker::CleanupGraph(tensorflow::CleanupGraphRequest request, const CallOptions& options,
                          Reply<tensorflow::CleanupGraphResponse> done) {
  std::shared_ptr<ActiveStep> step;
  std::shared_ptr<WorkerSession> session;
  const Status reason = MarkDerived(Aborted("the step was ended by its master (CleanupGraph)"));
  {
    std::lock_guard lock(mu_);
    if (request.weir_slot() > 0) {
      auto it = sessions_.find(request.weir_session_handle());
      if (it != sessions_.end()) session = it->second;
    }
    if (session != nullptr) {
      if (Status status = dependencies_.access.CheckOwner(*options.caller, session->owner, session->handle);
          !status.ok())
        return done(status);
    }
    if (auto it = steps_.find(request.step_id()); it != steps_.end()) {
      step = std::move(it->second);
      steps_.erase(it);
    }
  }
  // The calls may arrive after this one.
  if (session != nullptr) session->responses->GiveUp({request.weir_slot(), request.weir_sequence()}, reason);
  if (step != nullptr) step->End(reason);
  done(tensorflow::CleanupGraphResponse());
}

void Worker::CleanupAll(tensorflow::CleanupAllRequest request, const CallOptions&,
                        Reply<tensorflow::CleanupAllResponse> done) {
  if (request.container_size() == 0) resources_->ClearContainer("");
  for (const std::string& container : request.container()) resources_->ClearContainer(container);
  done(tensorflow::CleanupAllResponse());
}

// The device must belong to this worker and have its current incarnation. Sessions may use other names for this task.
Status Worker::CheckSource(const std::string& text) const {
  WEIR_ASSIGN(const RendezvousKey key, RendezvousKey::Parse(text));
  for (const auto& device : *devices_) {
    if (device->name() != RenameDeviceTask(task_, key.from)) continue;
    if (device->attributes().incarnation() == key.incarnation) return OkStatus();
    return Aborted("{} was restarted: the requested value was on {} of its previous incarnation", task_, key.from);
  }
  return InvalidArgument("{} has no device {}", task_, key.from);
}

// A receive of another task.
struct Worker::Receive {
  std::shared_ptr<ActiveStep> step;
  int64_t step_id = 0;
  std::string key;
  uint64_t number = 0;  // among the receives of the step
  bool in_chunks = false;
  bool single_message_is_cheap = false;
};

void Worker::RecvTensor(tensorflow::RecvTensorRequest request, const CallOptions& options,
                        Reply<RecvTensorReply> done) {
  if (Status status = CheckSource(request.rendezvous_key()); !status.ok()) return done(status);
  if (stop_.cancelled()) return done(stop_.reason());
  size_t offset = 0;
  Result<bool> in_chunks = WantsChunk(request, &offset);
  if (!in_chunks.ok()) return done(in_chunks.status());
  if (offset > 0) return done(NextChunk(request.step_id(), request.rendezvous_key(), offset));
  auto receive = std::make_shared<Receive>();
  receive->step_id = request.step_id();
  receive->key = std::move(*request.mutable_rendezvous_key());
  receive->in_chunks = *in_chunks;
  receive->single_message_is_cheap = options.single_message_is_cheap;
  {
    std::lock_guard lock(mu_);
    receive->step = StepFor(receive->step_id);
    ++receive->step->waiting;
    receive->number = ++receive->step->num_receives;
  }
  StepRendezvous& rendezvous = *receive->step->rendezvous;
  if (std::optional<Result<RecvTensorReply>> again = AnswerAgain(*receive)) return done(*std::move(again));
  const auto answer =
      FirstAnswer<Result<RecvTensorReply>>::Make(options.cancel, std::move(done), [this, receive, &rendezvous] {
        rendezvous.Withdraw(receive->key, receive->number);
        receive->step->sent.GiveUp(receive->key);
        ReleaseStep(receive->step, receive->step_id, &ActiveStep::waiting);
      });
  if (answer->answered()) return;
  auto receiver = [this, receive, answer, &rendezvous](Result<Rendezvous::Value> value) {
    if (answer->Claim()) {
      std::optional<Rendezvous::Value> for_next;
      if (value.ok() && receive->step->sent.Send(receive->key, *value)) for_next = *value;
      answer->Finish(Received(*receive, std::move(value)));
      if (for_next.has_value()) rendezvous.Send(receive->key, *std::move(for_next)).IgnoreError();
      return;
    }
    // If a copy of the request has got the value, nobody else needs it.
    if (receive->step->sent.Sent(receive->key).ok()) return;
    // The caller gave up after the value was taken: put it back for another receive.
    if (value.ok()) rendezvous.Send(receive->key, *std::move(value)).IgnoreError();
  };
  const bool waits = rendezvous.RecvLocal(receive->key, receive->number, std::move(receiver));
  // If the caller gave up before the receiver was in the rendezvous, on_cancel could not withdraw it.
  if (waits && answer->answered() && rendezvous.Withdraw(receive->key, receive->number))
    ReleaseStep(receive->step, receive->step_id, /*users=*/nullptr);
}

// Answers a request that is sent again, if its value was sent before.
std::optional<Result<RecvTensorReply>> Worker::AnswerAgain(const Receive& receive) {
  ActiveStep& step = *receive.step;
  std::optional<Result<RecvTensorReply>> first;
  {
    std::lock_guard lock(step.mu);
    if (auto it = step.in_chunks.find(receive.key); it != step.in_chunks.end() && receive.in_chunks) {
      ActiveStep::ChunkedSend& entry = it->second;  // from the start
      entry.left = entry.sent.size() - 1;
      entry.sent.assign(entry.sent.size(), false);
      entry.sent[0] = true;
      first = MakeChunk(entry.from, 0, dependencies_.chunk_bytes);
    }
  }
  if (first.has_value()) {
    ReleaseStep(receive.step, receive.step_id, &ActiveStep::waiting);  // the earlier copy still counts
    return first;
  }
  std::optional<Result<Rendezvous::Value>> value = step.sent.Request(receive.key);
  if (!value.has_value()) return std::nullopt;
  return Received(receive, *std::move(value));
}

Result<RecvTensorReply> Worker::Received(const Receive& receive, Result<Rendezvous::Value> value) {
  Result<std::optional<ChunkSource>> apart = std::nullopt;
  if (value.ok() && receive.in_chunks && !value->dead &&
      !(receive.single_message_is_cheap && FitsSingleMessage(value->tensor)))
    apart = SplitIntoChunks(value->tensor, dependencies_.chunk_bytes);
  if (apart.ok() && apart->has_value()) {
    RecvTensorReply first = MakeChunk(**apart, 0, dependencies_.chunk_bytes);
    const size_t chunks = ((*apart)->bytes.num_bytes() - 1) / dependencies_.chunk_bytes + 1;
    bool is_copy = false;
    {
      std::lock_guard lock(receive.step->mu);
      is_copy = receive.step->in_chunks.contains(receive.key);
      ActiveStep::ChunkedSend& entry = receive.step->in_chunks[receive.key];
      entry = {**std::move(apart), std::vector<bool>(chunks), chunks - 1};
      entry.sent[0] = true;
    }
    if (is_copy) ReleaseStep(receive.step, receive.step_id, &ActiveStep::waiting);  // both counted
    return first;
  }
  ReleaseStep(receive.step, receive.step_id, &ActiveStep::waiting);
  WEIR_TRY(value.status());
  if (!apart.ok()) return WithContext(apart.status(), receive.key);
  RecvTensorReply reply;
  reply.message.set_is_dead(value->dead);
  if (!value->dead) reply.tensors.push_back({"", std::move(value->tensor)});
  return reply;
}

Result<RecvTensorReply> Worker::NextChunk(int64_t step_id, const std::string& key, size_t offset) {
  std::shared_ptr<ActiveStep> step;
  {
    std::lock_guard lock(mu_);
    if (auto it = steps_.find(step_id); it != steps_.end()) step = it->second;
  }
  if (step == nullptr) return Aborted("the step ended while a value was being transferred");
  RecvTensorReply reply;
  {
    std::lock_guard lock(step->mu);
    auto it = step->in_chunks.find(key);
    if (it == step->in_chunks.end() && step->sent.expects_copies()) {  // all chunks were sent, but some were lost
      WEIR_ASSIGN(const Rendezvous::Value value, step->sent.Sent(key));
      WEIR_ASSIGN(const std::optional<ChunkSource> source, SplitIntoChunks(value.tensor, dependencies_.chunk_bytes));
      if (!source.has_value() || offset >= source->bytes.num_bytes() || offset % dependencies_.chunk_bytes != 0)
        return InvalidArgument("no chunk at offset {} for rendezvous key {}", offset, key);
      return MakeChunk(*source, offset, dependencies_.chunk_bytes);
    }
    if (it == step->in_chunks.end() || offset >= it->second.from.bytes.num_bytes() ||
        offset % dependencies_.chunk_bytes != 0)
      return InvalidArgument("no chunk at offset {} for rendezvous key {}", offset, key);
    ActiveStep::ChunkedSend& entry = it->second;
    reply = MakeChunk(entry.from, offset, dependencies_.chunk_bytes);
    std::vector<bool>::reference sent = entry.sent[offset / dependencies_.chunk_bytes];
    if (!sent) --entry.left;  // a chunk may be requested again
    sent = true;
    if (entry.left > 0) return reply;
    step->in_chunks.erase(it);
  }
  ReleaseStep(step, step_id, &ActiveStep::waiting);
  return reply;
}

// Removes a user of the step, if `users` is given. A step without users that holds nothing for others is forgotten:
// after a success no master has to call CleanupGraph.
void Worker::ReleaseStep(const std::shared_ptr<ActiveStep>& step, int64_t id, int ActiveStep::*users, bool given_up) {
  std::shared_ptr<ActiveStep> removed;
  std::shared_ptr<void> counted;  // destroyed without the lock
  {
    std::lock_guard lock(mu_);
    if (users != nullptr) --(*step.*users);
    const bool wanted =
        step->waiting > 0 || step->partial != nullptr || (step->session != nullptr && !step->rendezvous->idle());
    if (step->running > 0 || (wanted && !given_up)) return;
    auto it = steps_.find(id);
    if (it == steps_.end() || it->second != step) return;
    if (step->sent.expects_copies() && !given_up) {
      counted = std::move(step->counted);
      return;
    }
    removed = std::move(it->second);
    steps_.erase(it);
  }
  removed->End(step_done_);  // ends what waits in it and may refer to it
}

void Worker::Logging(tensorflow::LoggingRequest, const CallOptions&, Reply<tensorflow::LoggingResponse> done) {
  done(tensorflow::LoggingResponse());
}

}  // namespace weir

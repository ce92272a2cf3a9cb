#include "cluster/master.h"

#include <algorithm>
#include <chrono>

#include "base/log.h"
#include "cluster/when_all.h"
#include "session/cluster_config.h"

namespace weir {
namespace {

constexpr int64_t kResetTimeoutMs = 30'000;

// The fields that are set and useful in a log, as " field: value field: value".
std::string Brief(const tensorflow::ConfigProto& config) {
  std::string text;
  for (const auto& [kind, count] : config.device_count()) text += fmt::format(" device_count({}): {}", kind, count);
  if (config.intra_op_parallelism_threads() != 0)
    text += fmt::format(" intra_op_parallelism_threads: {}", config.intra_op_parallelism_threads());
  if (config.inter_op_parallelism_threads() != 0)
    text += fmt::format(" inter_op_parallelism_threads: {}", config.inter_op_parallelism_threads());
  for (const std::string& filter : config.device_filters())
    text += fmt::format(" device_filters: \"{}\"", EscapeForLog(filter));
  if (config.allow_soft_placement()) text += " allow_soft_placement: true";
  if (config.log_device_placement()) text += " log_device_placement: true";
  if (config.isolate_session_state()) text += " isolate_session_state: true";
  if (config.operation_timeout_in_ms() > 0)
    text += fmt::format(" operation_timeout_in_ms: {}", config.operation_timeout_in_ms());
  return text;
}

int64_t NumNodes(const tensorflow::GraphDef& graph) {
  int64_t nodes = graph.node_size();
  for (const tensorflow::FunctionDef& function : graph.library().function()) nodes += function.node_def_size();
  return nodes;
}

}  // namespace

void Master::InBackground(std::function<void()> work) {
  dependencies_.session.blocking_pool.Schedule([work = std::move(work), counted = in_flight_.Enter()]() mutable {
    work();
    work = nullptr;
    counted = nullptr;
  });
}

Result<std::shared_ptr<MasterSession>> Master::Find(const std::string& handle, const PeerIdentity& caller) {
  std::shared_ptr<MasterSession> session;
  Alarms::Id unclaimed = 0;
  bool first_use = false;
  {
    std::lock_guard lock(mu_);
    if (auto it = sessions_.find(handle); it != sessions_.end()) {
      WEIR_TRY(dependencies_.access.CheckOwner(caller, it->second.owner, handle));
      session = it->second.session;
      unclaimed = std::exchange(it->second.unclaimed, 0);
      if (++it->second.uses == 1) first_use = dependencies_.idle_session_ms > 0;
    }
  }
  if (first_use) StartIdleTimer(handle, /*uses=*/1);
  if (unclaimed != 0) dependencies_.session.alarms.Cancel(unclaimed);
  if (session == nullptr) {
    return Aborted(
        "Session {} is not found. This server does not know it, possibly because it was restarted: make a new session",
        handle);
  }
  return session;
}

Result<std::shared_ptr<MasterSession>> Master::FindForStep(const std::string& handle, const PeerIdentity& caller) {
  WEIR_TRY(CheckNotDraining());
  return Find(handle, caller);
}

Status Master::CheckNotDraining() const {
  std::lock_guard lock(mu_);
  if (draining_) return Unavailable("{} is stopping", dependencies_.session.peers->own_task());
  return OkStatus();
}

// Looks for the address that the client has used, then for the address in the cluster that this server was started
// with.
Result<std::string> Master::OwnTaskIn(const ClusterSpec& cluster, const std::string& target) const {
  const Peers& peers = *dependencies_.session.peers;
  const size_t scheme = target.find("://");
  const std::string reached = scheme == std::string::npos ? target : target.substr(scheme + 3);
  for (const std::string& address : {reached, peers.AddressOf(peers.own_task())}) {
    for (const auto& [job, tasks] : cluster.jobs()) {
      for (const auto& [task, listens] : tasks) {
        if (listens == address) return TaskName(job, task);
      }
    }
  }
  return InvalidArgument(
      "the session's cluster_def does not have the server that the session is on, {}: give it the address '{}' there. "
      "It has {}",
      peers.own_task(), reached, ClusterConfig{cluster}.ToJson());
}

Result<std::shared_ptr<MasterSession>> Master::NewSession(tensorflow::ConfigProto config, const std::string& target,
                                                          const PeerIdentity& caller) {
  WEIR_ASSIGN(Quota::Share share, session_quota_.Take(caller.key()));
  MasterSession::Dependencies dependencies = dependencies_.session;
  if (config.cluster_def().job_size() > 0) {
    Result<ClusterSpec> cluster = ClusterSpec::FromProto(config.cluster_def());
    if (!cluster.ok()) return WithContext(cluster.status(), "the session's cluster_def");
    WEIR_ASSIGN(std::string own_task, OwnTaskIn(*cluster, target));
    dependencies.peers = std::make_shared<Peers>(*std::move(cluster), dependencies_.transport, std::move(own_task),
                                                 &dependencies_.own_worker);
    config.set_isolate_session_state(true);  // as in TensorFlow: task names are valid in this session only
  } else {
    config.clear_cluster_def();
  }
  std::string handle = fmt::format("{:016x}", dependencies_.session.rng.Next64());
  LogInfo("Start master session {} with config:{}", handle, Brief(config));
  auto session = std::make_shared<MasterSession>(handle, config, std::move(dependencies));
  std::lock_guard lock(mu_);
  if (draining_ || stopped_) return Unavailable("{} is stopping", dependencies_.session.peers->own_task());
  Entry entry{session, caller.name};
  entry.share = std::move(share);
  sessions_.emplace(std::move(handle), std::move(entry));
  return session;
}

int64_t Master::NodesOf(const std::string& handle) const {
  std::lock_guard lock(mu_);
  auto it = sessions_.find(handle);
  return it == sessions_.end() ? 0 : it->second.nodes;
}

void Master::CountNodes(const std::string& handle, const tensorflow::GraphDef& added) {
  std::lock_guard lock(mu_);
  if (auto it = sessions_.find(handle); it != sessions_.end()) it->second.nodes += NumNodes(added);
}

Status Master::CheckNodes(int64_t nodes, const tensorflow::GraphDef& added, const PeerIdentity& caller) const {
  const Limits& limits = dependencies_.limits;
  if (caller.key().empty() || NumNodes(added) <= limits[Limit::kNodes] - nodes) return OkStatus();
  return limits.Reached(Limit::kNodes, caller.key());
}

Result<std::shared_ptr<void>> Master::CountStep(const std::string& handle, const PeerIdentity& caller) {
  WEIR_ASSIGN(Quota::Share share, step_quota_.Take(caller.key()));
  struct Step {
    Quota::Share share;
    std::shared_ptr<std::atomic<int>> steps;
    ~Step() {
      if (steps != nullptr) --*steps;
    }
  };
  auto step = std::make_shared<Step>();
  step->share = std::move(share);
  std::lock_guard lock(mu_);
  if (auto it = sessions_.find(handle); it != sessions_.end()) {
    step->steps = it->second.steps;
    ++*step->steps;
  }
  return std::shared_ptr<void>(std::move(step));
}

void Master::StartIdleTimer(const std::string& handle, uint64_t uses) {
  std::lock_guard lock(mu_);
  auto it = sessions_.find(handle);
  if (it == sessions_.end()) return;
  it->second.idle = dependencies_.session.alarms.After(dependencies_.idle_session_ms * kNanosPerMilli,
                                                       [this, handle, uses] { CloseIfIdle(handle, uses); });
}

void Master::CloseIfIdle(const std::string& handle, uint64_t uses) {
  std::shared_ptr<MasterSession> session;
  std::shared_ptr<void> counted;
  std::optional<uint64_t> used;
  {
    std::lock_guard lock(mu_);
    auto it = sessions_.find(handle);
    if (it == sessions_.end() || it->second.idle == 0) return;
    if (it->second.uses != uses || *it->second.steps > 0) {
      used = it->second.uses;
    } else {
      session = std::move(it->second.session);
      sessions_.erase(it);
      counted = in_flight_.Enter();
    }
  }
  if (used.has_value()) return StartIdleTimer(handle, *used);
  LogInfo("Closing session {}, which no client has used for {} ms", handle, dependencies_.idle_session_ms);
  session->Close([counted = std::move(counted)] {});
}

void Master::StartUnclaimedTimer(const std::string& handle) {
  if (dependencies_.unclaimed_session_ms <= 0) return;
  std::lock_guard lock(mu_);
  auto it = sessions_.find(handle);
  if (it == sessions_.end()) return;
  it->second.unclaimed = dependencies_.session.alarms.After(dependencies_.unclaimed_session_ms * kNanosPerMilli,
                                                            [this, handle] { CloseUnclaimed(handle); });
}

void Master::CloseUnclaimed(const std::string& handle) {
  std::shared_ptr<MasterSession> session;
  std::shared_ptr<void> counted;
  {
    std::lock_guard lock(mu_);
    auto it = sessions_.find(handle);
    if (it == sessions_.end() || it->second.unclaimed == 0) return;  // a client was faster
    session = std::move(it->second.session);
    sessions_.erase(it);
    counted = in_flight_.Enter();
  }
  LogInfo("Closing session {}, which no client has used since it was created", handle);
  session->Close([counted = std::move(counted)] {});
}

void Master::CreateSession(tensorflow::CreateSessionRequest request, const CallOptions& options,
                           Reply<tensorflow::CreateSessionResponse> done) {
  auto shared = std::make_shared<tensorflow::CreateSessionRequest>(std::move(request));
  if (Status status = CheckNodes(0, shared->graph_def(), *options.caller); !status.ok()) return done(status);
  InBackground([this, shared, cancel = options.cancel, caller = *options.caller, done = std::move(done)] {
    tensorflow::ConfigProto config = dependencies_.default_config;
    config.MergeFrom(shared->config());
    Result<std::shared_ptr<MasterSession>> session = NewSession(config, shared->target(), caller);
    if (!session.ok()) return done(session.status());
    Result<int64_t> version = (*session)->Extend(shared->graph_def(), 0, cancel);
    if (cancel != nullptr && cancel->cancelled()) version = cancel->reason();  // no client would ever close the session
    if (!version.ok()) {
      {
        std::lock_guard lock(mu_);
        sessions_.erase((*session)->handle());
      }
      return done(version.status());
    }
    tensorflow::CreateSessionResponse response;
    response.set_session_handle((*session)->handle());
    response.set_graph_version(*version);
    if (shared->weir_resends()) response.set_weir_resends(true);
    CountNodes((*session)->handle(), shared->graph_def());
    StartUnclaimedTimer((*session)->handle());
    done(std::move(response));
  });
}

void Master::ExtendSession(tensorflow::ExtendSessionRequest request, const CallOptions& options,
                           Reply<tensorflow::ExtendSessionResponse> done) {
  Result<std::shared_ptr<MasterSession>> session = Find(request.session_handle(), *options.caller);
  if (!session.ok()) return done(session.status());
  if (Status status = CheckNodes(NodesOf(request.session_handle()), request.graph_def(), *options.caller); !status.ok())
    return done(status);
  auto shared = std::make_shared<tensorflow::ExtendSessionRequest>(std::move(request));
  InBackground([this, session = *session, shared, cancel = options.cancel, done = std::move(done)] {
    Result<int64_t> version = session->Extend(shared->graph_def(), shared->current_graph_version(), cancel);
    if (!version.ok()) return done(version.status());
    CountNodes(session->handle(), shared->graph_def());
    tensorflow::ExtendSessionResponse response;
    response.set_new_graph_version(*version);
    done(std::move(response));
  });
}

void Master::RunStep(RunStepCall call, const CallOptions& options, Reply<RunStepReply> done) {
  // The session knows whether a call with a number begins a step or is a copy.
  const bool has_number = call.message.weir_slot() > 0;
  const bool is_piece = !call.message.partial_run_handle().empty();
  const std::string& handle = call.message.session_handle();
  Result<std::shared_ptr<MasterSession>> session =
      has_number || is_piece ? Find(handle, *options.caller) : FindForStep(handle, *options.caller);
  if (!session.ok()) return done(session.status());
  if (call.message.weir_gives_up()) {
    (*session)->GiveUpStep({call.message.weir_slot(), call.message.weir_sequence()});
    return done(RunStepReply());
  }
  (*session)->RunStep(std::move(call), options, std::move(done), [&]() -> Result<std::shared_ptr<void>> {
    if (has_number && !is_piece) WEIR_TRY(CheckNotDraining());
    return CountStep((*session)->handle(), *options.caller);
  });
}

void Master::PartialRunSetup(tensorflow::PartialRunSetupRequest request, const CallOptions& options,
                             Reply<tensorflow::PartialRunSetupResponse> done) {
  Result<std::shared_ptr<MasterSession>> session = FindForStep(request.session_handle(), *options.caller);
  if (!session.ok()) return done(session.status());
  (*session)->PartialRunSetup(request, options, std::move(done));
}

void Master::CloseSession(tensorflow::CloseSessionRequest request, const CallOptions& options,
                          Reply<tensorflow::CloseSessionResponse> done) {
  Result<std::shared_ptr<MasterSession>> session = Find(request.session_handle(), *options.caller);
  if (!session.ok()) return done(session.status());
  {
    std::lock_guard lock(mu_);
    sessions_.erase(request.session_handle());
  }
  (*session)->Close(
      [done = std::move(done), counted = in_flight_.Enter()] { done(tensorflow::CloseSessionResponse()); });
}

void Master::ListDevices(tensorflow::ListDevicesRequest request, const CallOptions& options,
                         Reply<tensorflow::ListDevicesResponse> done) {
  if (request.session_handle().empty()) return ListCluster(options, std::move(done));
  Result<std::shared_ptr<MasterSession>> session = Find(request.session_handle(), *options.caller);
  if (!session.ok()) return done(session.status());
  (*session)->ListDevices(options, std::move(done));
}

void Master::ListCluster(const CallOptions& options, Reply<tensorflow::ListDevicesResponse> done) {
  using Answer = Result<tensorflow::GetStatusResponse>;
  const std::shared_ptr<Peers> peers = dependencies_.session.peers;
  const auto& filters = dependencies_.default_config.device_filters();
  const std::vector<std::string> tasks = AllowedTasks(*peers, {filters.begin(), filters.end()});
  auto answers = std::make_shared<std::vector<Answer>>(tasks.size(), UnknownError("not asked"));
  const auto answered = WhenAll(
      tasks.size(), [peers, tasks, answers, done = std::move(done), counted = in_flight_.Enter()](const Status&) {
        tensorflow::ListDevicesResponse response;
        for (size_t i = 0; i < tasks.size(); ++i) {
          const bool is_own = tasks[i] == peers->own_task();
          const auto add = [&] { return is_own ? response.add_local_device() : response.add_remote_device(); };
          if (const Answer& answer = (*answers)[i]; answer.ok()) {
            for (const tensorflow::DeviceAttributes& device : answer->device_attributes()) *add() = device;
          } else {
            tensorflow::DeviceAttributes* missing = add();
            missing->set_name(tasks[i]);
            missing->set_physical_device_desc(peers->AddressOf(tasks[i]));
          }
        }
        done(std::move(response));
      });
  // Leaves a quarter of the caller's timeout for the response to arrive.
  const CallOptions ask{
      .timeout_ms = (options.caller_timeout_ms * 3 + 3) / 4, .cancel = options.cancel, .wait_for_ready = true};
  for (size_t i = 0; i < tasks.size(); ++i) {
    Result<std::shared_ptr<WorkerService>> worker = peers->Find(tasks[i]);
    if (!worker.ok()) {
      (*answers)[i] = worker.status();
      answered(OkStatus());
      continue;
    }
    (*worker)->GetStatus({}, ask, [i, answers, answered, worker = *worker](Answer answer) {
      (*answers)[i] = std::move(answer);
      answered(OkStatus());
    });
  }
}

void Master::Reset(tensorflow::ResetRequest request, const CallOptions&, Reply<tensorflow::ResetResponse> done) {
  tensorflow::CleanupAllRequest cleanup;
  *cleanup.mutable_container() = std::move(*request.mutable_container());
  const std::vector<std::string> filters(request.device_filters().begin(), request.device_filters().end());
  CloseAll([this, cleanup = std::move(cleanup), filters, done = std::move(done), counted = in_flight_.Enter()] {
    const std::vector<std::string> tasks = AllowedTasks(*dependencies_.session.peers, filters);
    const auto answered = WhenAll(tasks.size(), [done, counted](const Status& status) {
      if (!status.ok()) return done(status);
      done(tensorflow::ResetResponse());
    });
    for (const std::string& task : tasks) {
      Result<std::shared_ptr<WorkerService>> worker = dependencies_.session.peers->Find(task);
      if (!worker.ok()) {
        answered(worker.status());
        continue;
      }
      (*worker)->CleanupAll(cleanup, CallOptions{.timeout_ms = kResetTimeoutMs},
                            [answered](const Result<tensorflow::CleanupAllResponse>& r) { answered(r.status()); });
    }
  });
}

void Master::MakeCallable(tensorflow::MakeCallableRequest request, const CallOptions& options,
                          Reply<tensorflow::MakeCallableResponse> done) {
  Result<std::shared_ptr<MasterSession>> session = Find(request.session_handle(), *options.caller);
  if (!session.ok()) return done(session.status());
  (*session)->MakeCallable(request.options(), options, std::move(done));
}

void Master::RunCallable(RunCallableCall call, const CallOptions& options, Reply<RunCallableReply> done) {
  Result<std::shared_ptr<MasterSession>> session = FindForStep(call.message.session_handle(), *options.caller);
  if (!session.ok()) return done(session.status());
  Result<std::shared_ptr<void>> step = CountStep((*session)->handle(), *options.caller);
  if (!step.ok()) return done(step.status());
  (*session)->RunCallable(std::move(call), options, Counted(*std::move(step), std::move(done)));
}

void Master::ReleaseCallable(tensorflow::ReleaseCallableRequest request, const CallOptions& options,
                             Reply<tensorflow::ReleaseCallableResponse> done) {
  Result<std::shared_ptr<MasterSession>> session = Find(request.session_handle(), *options.caller);
  if (!session.ok()) return done(session.status());
  if (Status status = (*session)->ReleaseCallable(request.handle()); !status.ok()) return done(status);
  done(tensorflow::ReleaseCallableResponse());
}

void Master::CloseAll(std::function<void()> done) {
  Sessions sessions;
  {
    std::lock_guard lock(mu_);
    sessions.swap(sessions_);
  }
  for (const auto& [handle, entry] : sessions) {
    for (const Alarms::Id alarm : {entry.unclaimed, entry.idle}) {
      if (alarm != 0) dependencies_.session.alarms.Cancel(alarm);
    }
  }
  // Runs `done` when the last copy is gone.
  auto last = std::shared_ptr<void>(nullptr, [done = std::move(done)](void*) { done(); });
  for (const auto& [handle, entry] : sessions) entry.session->Close([last] {});
}

void Master::Drain(int64_t timeout_ms) {
  std::vector<std::shared_ptr<MasterSession>> sessions;
  {
    std::lock_guard lock(mu_);
    draining_ = true;
    for (const auto& [handle, entry] : sessions_) sessions.push_back(entry.session);
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  for (const std::shared_ptr<MasterSession>& session : sessions) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    session->Drain(std::max<int64_t>(0, left));
  }
}

void Master::Stop() {
  Stop([] {});
  in_flight_.WaitForNone();
}

void Master::Stop(std::function<void()> done) {
  {
    std::lock_guard lock(mu_);
    stopped_ = true;
  }
  CloseAll([counted = in_flight_.Enter()] {});
  in_flight_.WhenNone(std::move(done));
}

int Master::num_sessions() const {
  std::lock_guard lock(mu_);
  return static_cast<int>(sessions_.size());
}

}  // namespace weir

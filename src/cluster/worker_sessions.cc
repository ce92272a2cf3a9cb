// The sessions of a Worker, and their leases.
#include <algorithm>
#include <set>

#include "base/log.h"
#include "cluster/registered_graph.h"
#include "cluster/worker_state.h"
#include "device/renamed_device.h"
#include "runtime/partial_step.h"

namespace weir {
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

}  // namespace weir

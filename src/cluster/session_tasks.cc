#include "cluster/session_tasks.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "device/device.h"
#include "device/renamed_device.h"
#include "graph/device_name.h"
#include "runtime/first_answer.h"

namespace weir {
namespace {

constexpr int64_t kTryMs = 10'000;     // timeout of one attempt to reach a task
constexpr int64_t kFirstPauseMs = 20;  // between attempts
constexpr int64_t kLongestPauseMs = 1'000;
constexpr int64_t kOpenMs = 30'000;  // timeout for opening a session on a task
// When a session first logs which task it waits for, and how often later.
constexpr int64_t kFirstNoteMs = 1'000;
constexpr int64_t kNoteMs = 10'000;

constexpr int kRenewalsPerLease = 4;
// After so many failures in a row, the lease has ended.
constexpr int kMostFailedRenewals = 2 * kRenewalsPerLease;

// Runs `then` once: after `nanos`, or as soon as `cancel` is cancelled. `cancel` must live until then.
void RunAfterDelay(Alarms& alarms, int64_t nanos, CancelToken& cancel, std::function<void()> then) {
  const auto first = FirstAnswer<Status>::Make(&cancel, [then = std::move(then)](const Status&) { then(); });
  if (!first->answered()) alarms.After(nanos, [first] { first->Give(OkStatus()); });
}

// Returns a callback that passes its status on to `done`. If `cancel` is cancelled first, `done` runs at once with that
// reason. `cancel` must live until `done` runs. `done` is destroyed as soon as it has run, because a closing session
// waits for the objects that it references.
SessionTasks::Done CompleteOnCancel(CancelToken& cancel, SessionTasks::Done done) {
  return [first = FirstAnswer<Status>::Make(&cancel, std::move(done))](const Status& status) { first->Give(status); };
}

}  // namespace

std::vector<std::string> AllowedTasks(const Peers& peers, const std::vector<std::string>& device_filters) {
  std::vector<std::string> allowed = {peers.own_task()};
  std::vector<DeviceName> filters;
  for (const std::string& text : device_filters) {
    Result<DeviceName> filter = DeviceName::Parse(text);
    if (!filter.ok()) continue;
    filter->type.reset();
    filter->index.reset();
    filters.push_back(*std::move(filter));
  }
  for (const std::string& task : peers.Tasks()) {
    if (task == peers.own_task()) continue;
    Result<DeviceName> name = DeviceName::Parse(task);
    bool passes = device_filters.empty();
    for (const DeviceName& filter : filters) passes = passes || (name.ok() && filter.Matches(*name));
    if (passes) allowed.push_back(task);
  }
  return allowed;
}

std::vector<std::string> SessionTasks::Allowed() const {
  return AllowedTasks(*peers_, {config_.device_filters().begin(), config_.device_filters().end()});
}

std::shared_ptr<const SessionTasks::Devices> SessionTasks::DevicesOf(const std::string& task) const {
  std::lock_guard lock(mu_);
  auto it = devices_.find(task);
  return it == devices_.end() ? nullptr : it->second;
}

bool SessionTasks::IsWeir(const std::string& task) const {
  const std::shared_ptr<const Devices> devices = DevicesOf(task);
  return devices != nullptr && !devices->empty() && devices->front().physical_device_desc() == kWeirDevice;
}

bool SessionTasks::RecognizesCopies(const std::string& task) const {
  std::lock_guard lock(mu_);
  auto it = opened_.find(task);
  return it != opened_.end() && it->second.recognizes_copies;
}

void SessionTasks::Ask(const std::string& task, CancelToken* cancel, Done done) {
  if (DevicesOf(task) != nullptr) return done(OkStatus());
  Result<std::shared_ptr<WorkerService>> worker = peers_->Find(task);
  if (!worker.ok()) return done(worker.status());
  {
    std::lock_guard lock(mu_);
    ++asked_[task];
  }
  AskAgain(task, *std::move(worker), 0, cancel,
           [self = shared_from_this(), task, done = std::move(done)](const Status& status) {
             {
               std::lock_guard lock(self->mu_);
               if (--self->asked_[task] == 0) self->asked_.erase(task);
             }
             done(status);
           });
}

std::vector<std::string> SessionTasks::Awaited() const {
  std::lock_guard lock(mu_);
  std::vector<std::string> tasks;
  for (const auto& [task, count] : asked_) tasks.push_back(task);
  for (const auto& [task, opened] : opened_) {
    if (opened.asking > 0 && !asked_.contains(task)) tasks.push_back(task);
  }
  return tasks;
}

void SessionTasks::AskAgain(const std::string& task, std::shared_ptr<WorkerService> worker, int64_t waited_ms,
                            CancelToken* cancel, Done done) {
  WorkerService& called = *worker;
  called.GetStatus({}, CallOptions{.timeout_ms = kTryMs, .cancel = cancel},
                   [self = shared_from_this(), task, worker = std::move(worker), waited_ms, cancel,
                    done = std::move(done)](Result<tensorflow::GetStatusResponse> status) {
                     if (status.ok()) {
                       Devices devices(status->device_attributes().begin(), status->device_attributes().end());
                       // In a session's own cluster, tasks have the names of that cluster.
                       if (self->config_.has_cluster_def()) {
                         for (tensorflow::DeviceAttributes& device : devices)
                           device.set_name(RenameDeviceTask(task, device.name()));
                       }
                       std::lock_guard lock(self->mu_);
                       self->devices_[task] = std::make_shared<const Devices>(std::move(devices));
                     }
                     if (status.ok()) return done(OkStatus());
                     if (cancel->cancelled()) return done(cancel->reason());
                     const bool silent = status.status().code() == StatusCode::kDeadlineExceeded;
                     if (!silent && status.status().code() != StatusCode::kUnavailable) return done(status.status());
                     const int64_t pause_ms = std::min(kFirstPauseMs + waited_ms, kLongestPauseMs);
                     const int64_t waited_now = waited_ms + pause_ms + (silent ? kTryMs : 0);
                     const bool is_first = waited_ms < kFirstNoteMs && waited_now >= kFirstNoteMs;
                     if (is_first || waited_now / kNoteMs != waited_ms / kNoteMs) {
                       LogInfo("CreateSession still waiting for response from worker: {} at {}", task,
                               self->peers_->AddressOf(task));
                     }
                     RunAfterDelay(self->alarms_, pause_ms * kNanosPerMilli, *cancel,
                                   [self, task, worker, waited_now, cancel, done] {
                                     if (cancel->cancelled()) return done(cancel->reason());
                                     self->AskAgain(task, worker, waited_now, cancel, done);
                                   });
                   });
}

tensorflow::CreateWorkerSessionRequest SessionTasks::OpenRequest(const std::string& task) const {
  tensorflow::CreateWorkerSessionRequest request;
  request.set_session_handle(handle_);
  tensorflow::ServerDef& def = *request.mutable_server_def();
  if (Result<DeviceName> name = DeviceName::Parse(task); name.ok()) {
    def.set_job_name(name->job.value_or(""));
    def.set_task_index(name->task.value_or(0));
  }
  def.set_protocol("grpc");
  if (config_.has_cluster_def()) *def.mutable_cluster() = config_.cluster_def();
  request.set_isolate_session_state(config_.isolate_session_state());
  if (task != peers_->own_task()) {
    request.set_weir_lease_ms(lease_ms_);
    request.set_weir_resends(true);
  }
  // Includes the address: masters may have the same task name if sessions define their own clusters.
  request.set_master_task(fmt::format("{} at {}", peers_->own_task(), peers_->AddressOf(peers_->own_task())));
  std::lock_guard lock(mu_);
  for (const auto& [name, devices] : devices_) {
    for (const tensorflow::DeviceAttributes& device : *devices) *request.add_cluster_device_attributes() = device;
    if (name == peers_->own_task() && !devices->empty())
      request.set_master_incarnation(static_cast<int64_t>(devices->front().incarnation()));
  }
  return request;
}

void SessionTasks::Open(const std::string& task, CancelToken* cancel, Done done) {
  Result<std::shared_ptr<WorkerService>> worker = peers_->Find(task);
  if (!worker.ok()) return done(worker.status());
  bool is_open = false;
  {
    std::lock_guard lock(mu_);
    Opened& opened = opened_[task];
    is_open = opened.confirmed;
    if (!is_open) ++opened.asking;
  }
  if (is_open) return done(OkStatus());
  // The call itself is not cancelled: the task might open the session after it was told to close it.
  (*worker)->CreateWorkerSession(OpenRequest(task), CallOptions{.timeout_ms = kOpenMs},
                                 [self = shared_from_this(), task, done = CompleteOnCancel(*cancel, std::move(done))](
                                     const Result<tensorflow::CreateWorkerSessionResponse>& response) {
                                   bool late = false;
                                   bool is_first = false;
                                   {
                                     std::lock_guard lock(self->mu_);
                                     Opened& opened = self->opened_[task];
                                     is_first = response.ok() && !opened.confirmed;
                                     opened.confirmed = opened.confirmed || response.ok();
                                     opened.recognizes_copies =
                                         opened.recognizes_copies || (response.ok() && response->weir_resends());
                                     late = --opened.asking == 0 && self->closed_;
                                   }
                                   if (late) self->DeleteWorkerSessionOn(task);
                                   if (is_first && !late) self->RenewLater(task, 0);
                                   if (is_first && !response->weir_resends()) self->MentionLostSteps(task);
                                   done(response.status());
                                 });
}

void SessionTasks::MentionLostSteps(const std::string& task) {
  if (task == peers_->own_task() || !peers_->FirstMention(task)) return;
  LogInfo("{} does not recognize steps that are sent again: if a connection to it breaks, the step fails",
          peers_->Describe(task));
}

void SessionTasks::RenewLater(const std::string& task, int failures) {
  if (lease_ms_ == 0 || task == peers_->own_task() || !IsWeir(task)) return;
  alarms_.After(lease_ms_ * kNanosPerMilli / kRenewalsPerLease, [weak = weak_from_this(), task, failures] {
    if (const std::shared_ptr<SessionTasks> self = weak.lock()) self->Renew(task, failures);
  });
}

void SessionTasks::Renew(const std::string& task, int failures) {
  {
    std::lock_guard lock(mu_);
    if (closed_) return;
  }
  const Result<std::shared_ptr<WorkerService>> worker = peers_->Find(task);
  if (!worker.ok()) return;
  tensorflow::CreateWorkerSessionRequest request;
  request.set_session_handle(handle_);
  request.set_weir_lease_ms(lease_ms_);
  request.set_weir_renew(true);
  (*worker)->CreateWorkerSession(
      std::move(request), CallOptions{.timeout_ms = std::max<int64_t>(1, lease_ms_ / kRenewalsPerLease)},
      [weak = weak_from_this(), task, failures,
       worker = *worker](const Result<tensorflow::CreateWorkerSessionResponse>& response) {
        const std::shared_ptr<SessionTasks> self = weak.lock();
        if (self == nullptr) return;
        // The next step reports that the task does not know the session.
        const bool is_gone = response.status().code() == StatusCode::kAborted || failures + 1 == kMostFailedRenewals;
        if (!is_gone) self->RenewLater(task, response.ok() ? 0 : failures + 1);
      });
}

void SessionTasks::Close() {
  std::vector<std::string> tasks;
  {
    std::lock_guard lock(mu_);
    closed_ = true;
    for (const auto& [task, opened] : opened_) {
      if (opened.asking == 0) tasks.push_back(task);
    }
  }
  for (const std::string& task : tasks) DeleteWorkerSessionOn(task);
}

void SessionTasks::DeleteWorkerSessionOn(const std::string& task) {
  Result<std::shared_ptr<WorkerService>> worker = peers_->Find(task);
  if (!worker.ok()) return;
  tensorflow::DeleteWorkerSessionRequest request;
  request.set_session_handle(handle_);
  SendBestEffort(
      task, [worker = *worker, request](const CallOptions& options, std::function<void(const Status&)> done) {
        worker->DeleteWorkerSession(
            request, options,
            [done = std::move(done)](const Result<tensorflow::DeleteWorkerSessionResponse>& r) { done(r.status()); });
      });
}

}  // namespace weir

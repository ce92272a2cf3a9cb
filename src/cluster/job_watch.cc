#include "cluster/job_watch.h"

#include <algorithm>

#include "absl/strings/str_split.h"
#include "base/log.h"

namespace weir {
namespace {

constexpr int64_t kTryMs = 10'000;  // timeout of one attempt to reach a task
constexpr int64_t kPauseMs = 200;   // between attempts

}  // namespace

Result<std::shared_ptr<JobWatch>> JobWatch::Make(const std::string& jobs, std::shared_ptr<Peers> peers, Alarms& alarms,
                                                 std::function<void()> all_ended) {
  std::shared_ptr<JobWatch> watch(new JobWatch(std::move(peers), alarms, std::move(all_ended)));
  const std::vector<std::string> names = absl::StrSplit(jobs, ',');
  for (const std::string& job : names) {
    Result<const ClusterSpec::Tasks*> tasks = watch->peers_->cluster().TasksOf(job);
    if (!tasks.ok()) return WithContext(tasks.status(), fmt::format("end_with '{}'", jobs));
    for (const auto& [number, address] : **tasks) {
      const std::string task = TaskName(job, number);
      if (task != watch->peers_->own_task()) watch->has_ended_[task] = false;
    }
  }
  if (watch->has_ended_.empty())
    return InvalidArgument("end_with '{}': the job has no task besides this server's own", jobs);
  return watch;
}

void JobWatch::Start() {
  std::vector<std::string> tasks;
  for (const auto& [task, ended] : has_ended_) tasks.push_back(task);
  for (const std::string& task : tasks) WaitForStart(task);
}

void JobWatch::Stop() {
  {
    std::lock_guard lock(mu_);
    stopped_ = true;
  }
  cancel_.Cancel(Cancelled("the server has ended"));
}

void JobWatch::WaitForStart(const std::string& task) {
  const Result<std::shared_ptr<WorkerService>> worker = peers_->Find(task);
  if (!worker.ok()) return;
  (*worker)->GetStatus(
      {}, CallOptions{.timeout_ms = kTryMs, .cancel = &cancel_, .wait_for_ready = true},
      [self = shared_from_this(), worker = *worker, task](const Result<tensorflow::GetStatusResponse>& response) {
        if (!response.ok()) return self->TryLater(task);
        {
          std::lock_guard lock(self->mu_);
          self->has_ended_[task] = false;
        }
        self->WaitForEnd(task);
      });
}

void JobWatch::WaitForEnd(const std::string& task) {
  const Result<std::shared_ptr<WorkerService>> worker = peers_->Find(task);
  if (!worker.ok()) return;
  (*worker)->WaitForEnd(
      {}, CallOptions{.cancel = &cancel_},
      [self = shared_from_this(), worker = *worker, task](const Result<tensorflow::GetStatusResponse>& response) {
        if (response.status().code() == StatusCode::kUnimplemented) {
          LogWarning("{} does not report when it ends, because it does not run Weir: this server will not end with it",
                     self->peers_->Describe(task));
          return;
        }
        if (response.ok()) self->NoteEnd(task);
        self->TryLater(task);
      });
  LogInfo("{} is up. This server waits for its end", peers_->Describe(task));
}

void JobWatch::TryLater(const std::string& task) {
  std::lock_guard lock(mu_);
  if (stopped_) return;
  alarms_.After(kPauseMs * kNanosPerMilli, [weak = weak_from_this(), task] {
    if (const std::shared_ptr<JobWatch> self = weak.lock()) self->WaitForStart(task);
  });
}

void JobWatch::NoteEnd(const std::string& task) {
  {
    std::lock_guard lock(mu_);
    has_ended_[task] = true;
    if (stopped_ || !std::all_of(has_ended_.begin(), has_ended_.end(), [](const auto& entry) { return entry.second; }))
      return;
    stopped_ = true;
    all_ended_();  // under the lock, so that Stop waits until it has returned
  }
  cancel_.Cancel(Cancelled("all tasks have ended"));
}

}  // namespace weir

#include "train/coordinator.h"

#include <algorithm>
#include <atomic>

#include "absl/strings/str_join.h"
#include "base/clock_wait.h"
#include "base/status.h"
#include "train/log.h"

namespace weir {
namespace {

constexpr int64_t kMilli = 1'000'000;
constexpr int64_t kBetweenInterrupts = 50 * kMilli;
constexpr int64_t kFirstPoll = 1 * kMilli;
constexpr int64_t kLongestPoll = 50 * kMilli;
constexpr double kLongestSeconds = 1e9;  // about 30 years: fits any clock

int64_t NanosOf(double seconds) {
  const double bounded = seconds > 0 ? std::min(seconds, kLongestSeconds) : 0;  // also for NaN
  return static_cast<int64_t>(bounded * 1e9);
}

Result<std::vector<CoordinatedThreadPtr>> LiveOnes(const std::vector<CoordinatedThreadPtr>& threads) {
  std::vector<CoordinatedThreadPtr> live;
  for (const CoordinatedThreadPtr& thread : threads) {
    WEIR_ASSIGN(const bool alive, thread->Alive());
    if (alive) live.push_back(thread);
  }
  return live;
}

}  // namespace

Coordinator::Outcome Coordinator::RequestStop(const Status& error) {
  return Note(clean_.contains(error.code()) ? OkStatus() : error);
}

Coordinator::Outcome Coordinator::ReportError(const Status& error) { return Note(error); }

Coordinator::Outcome Coordinator::Note(const Status& error) {
  std::lock_guard<std::mutex> lock(mu_);
  if (joined_ && !error.ok()) return Outcome::kTooLate;
  const bool first = !stop_ && !error.ok();
  if (first) error_ = error;
  stop_ = true;
  stopping_.notify_all();
  return first ? Outcome::kFirstError : Outcome::kNoted;
}

bool Coordinator::should_stop() const {
  std::lock_guard<std::mutex> lock(mu_);
  return stop_;
}

bool Coordinator::WaitForStop(std::optional<double> seconds, const Interrupted& interrupted) const {
  return WaitUntil(clock_.MonotonicNanos() + NanosOf(seconds.value_or(kLongestSeconds)), interrupted);
}

bool Coordinator::WaitUntil(int64_t deadline_nanos, const Interrupted& interrupted) const {
  while (true) {
    int64_t until = deadline_nanos;
    if (interrupted) until = std::min(until, clock_.MonotonicNanos() + kBetweenInterrupts);
    {
      std::unique_lock<std::mutex> lock(mu_);
      if (WaitOn(clock_, lock, stopping_, until, [&] { return stop_; })) return true;
    }
    if (interrupted && interrupted()) return false;
    if (clock_.MonotonicNanos() >= deadline_nanos) return false;
  }
}

void Coordinator::ClearStop() {
  std::lock_guard<std::mutex> lock(mu_);
  stop_ = false;
  joined_ = false;
  error_ = OkStatus();
}

Status Coordinator::error() const {
  std::lock_guard<std::mutex> lock(mu_);
  return error_;
}

bool Coordinator::joined() const {
  std::lock_guard<std::mutex> lock(mu_);
  return joined_;
}

int Coordinator::stragglers() const {
  std::lock_guard<std::mutex> lock(mu_);
  return stragglers_;
}

void Coordinator::RegisterThread(CoordinatedThreadPtr thread) {
  std::lock_guard<std::mutex> lock(mu_);
  registered_.push_back(std::move(thread));
}

Status Coordinator::Join(JoinOptions options) {
  std::vector<CoordinatedThreadPtr> live = std::move(options.threads);
  {
    std::lock_guard<std::mutex> lock(mu_);
    live.insert(live.end(), registered_.begin(), registered_.end());
  }
  // Threads do not signal their end, so poll them: less often over time, and often again after a stop request.
  std::optional<int64_t> deadline;
  int64_t poll = kFirstPoll;
  while (true) {
    WEIR_ASSIGN(live, LiveOnes(live));
    if (live.empty()) break;
    if (!deadline && should_stop()) {
      deadline = clock_.MonotonicNanos() + NanosOf(options.stop_grace_period_secs);
      poll = kFirstPoll;
    }
    const int64_t now = clock_.MonotonicNanos();
    if (deadline && now >= *deadline) break;
    if (deadline)
      clock_.SleepMicros((std::min(now + poll, *deadline) - now) / 1000 + 1);
    else
      WaitUntil(now + poll, {});
    if (options.interrupted && options.interrupted()) return Cancelled("waiting for threads was interrupted");
    poll = std::min(2 * poll, kLongestPoll);
  }
  std::vector<std::string> names;
  for (const CoordinatedThreadPtr& thread : live) {
    WEIR_ASSIGN(std::string name, thread->Name());
    names.push_back(std::move(name));
  }
  Status error;
  {
    std::lock_guard<std::mutex> lock(mu_);
    joined_ = true;
    registered_.clear();
    stragglers_ = static_cast<int>(names.size());
    error = error_;
  }
  if (!error.ok() || names.empty()) return error;
  const std::string message = "Coordinator stopped with threads still running: " + absl::StrJoin(names, " ");
  if (!options.ignore_live_threads) return FailedPrecondition("{}", message);
  TrainInfo("{}", message);
  return OkStatus();
}

Status Coordinator::Loop(std::optional<double> interval_secs, FunctionRef<Status()> body) const {
  if (!interval_secs) {
    while (!should_stop()) WEIR_TRY(body());
    return OkStatus();
  }
  const int64_t interval = NanosOf(*interval_secs);
  int64_t next = clock_.MonotonicNanos();
  while (!WaitUntil(next, {})) {
    next += interval;
    WEIR_TRY(body());
  }
  return OkStatus();
}

LooperThread::LooperThread(std::shared_ptr<Coordinator> coordinator, std::string name,
                           std::optional<double> interval_secs, std::function<Status()> body)
    : handle_(std::make_shared<TrackedThread>(std::move(name))) {
  coordinator->RegisterThread(handle_);
  thread_ = std::thread(
      [coordinator = std::move(coordinator), handle = handle_, interval_secs, body = std::move(body)]() mutable {
        if (Status status = coordinator->Loop(interval_secs, body); !status.ok()) coordinator->RequestStop(status);
        body = nullptr;
        handle->End();
      });
}

LooperThread::~LooperThread() {
  if (thread_.joinable()) thread_.join();
}

void LooperThread::JoinOrAbandon() { handle_->JoinOrAbandon(thread_); }

void TrackedThread::JoinOrAbandon(std::thread& thread) const {
  constexpr int kPatienceMs = 1000;
  for (int waited = 0; alive_ && waited < kPatienceMs; ++waited) RealClock().SleepMicros(1000);
  if (alive_) TrainWarning("thread '{}' did not stop within a second and was abandoned", name_);
  alive_ ? thread.detach() : thread.join();
}

}  // namespace weir

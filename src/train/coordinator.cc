#include "train/coordinator.h"

#include <algorithm>
#include <atomic>

#include "absl/strings/str_join.h"
#include "base/log.h"

namespace weir {
namespace {

using std::chrono::duration;
using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kBetweenInterrupts{50};
constexpr milliseconds kFirstPoll{1};
constexpr milliseconds kLongestPoll{50};
constexpr double kLongestSeconds = 1e9;  // about 30 years: fits any clock

steady_clock::duration DurationOf(double seconds) {
  const double bounded = seconds > 0 ? std::min(seconds, kLongestSeconds) : 0;  // also for NaN
  return duration_cast<steady_clock::duration>(duration<double>(bounded));
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
  return WaitUntil(steady_clock::now() + DurationOf(seconds.value_or(kLongestSeconds)), interrupted);
}

bool Coordinator::WaitUntil(Instant deadline, const Interrupted& interrupted) const {
  while (true) {
    Instant until = deadline;
    if (interrupted) until = std::min(until, steady_clock::now() + kBetweenInterrupts);
    {
      std::unique_lock<std::mutex> lock(mu_);
      if (stopping_.wait_until(lock, until, [&] { return stop_; })) return true;
    }
    if (interrupted && interrupted()) return false;
    if (steady_clock::now() >= deadline) return false;
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
  // How threads end is not announced: ask them, seldom where they run for long, often where they are about to stop.
  std::optional<Instant> deadline;
  milliseconds poll = kFirstPoll;
  while (true) {
    WEIR_ASSIGN(live, LiveOnes(live));
    if (live.empty()) break;
    if (!deadline && should_stop()) {
      deadline = steady_clock::now() + DurationOf(options.stop_grace_period_secs);
      poll = kFirstPoll;
    }
    const Instant now = steady_clock::now();
    if (deadline && now >= *deadline) break;
    if (deadline)
      std::this_thread::sleep_until(std::min(now + poll, *deadline));
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
  LogInfo("{}", message);
  return OkStatus();
}

Status Coordinator::Loop(std::optional<double> interval_secs, FunctionRef<Status()> body) const {
  if (!interval_secs) {
    while (!should_stop()) WEIR_TRY(body());
    return OkStatus();
  }
  const steady_clock::duration interval = DurationOf(*interval_secs);
  Instant next = steady_clock::now();
  while (!WaitUntil(next, {})) {
    next += interval;
    WEIR_TRY(body());
  }
  return OkStatus();
}

LooperThread::LooperThread(std::shared_ptr<Coordinator> coordinator, std::string name,
                           std::optional<double> interval_secs, std::function<Status()> body) {
  auto handle = std::make_shared<OwnThread>(std::move(name));
  coordinator->RegisterThread(handle);
  thread_ = std::thread([coordinator = std::move(coordinator), handle, interval_secs, body = std::move(body)] {
    if (Status status = coordinator->Loop(interval_secs, body); !status.ok()) coordinator->RequestStop(status);
    handle->End();
  });
}

LooperThread::~LooperThread() { thread_.join(); }

}  // namespace weir

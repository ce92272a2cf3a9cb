// Coordinator: threads that stop together. The first error that one of them reports is what Join gives.
// Thread-safe. No lock is held while a thread is asked whether it lives, or while a loop's body runs.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/function_ref.h"
#include "base/status.h"

namespace weir {

// What Join waits for.
class CoordinatedThread {
 public:
  virtual ~CoordinatedThread() = default;
  virtual Result<bool> Alive() = 0;
  virtual Result<std::string> Name() = 0;
};
using CoordinatedThreadPtr = std::shared_ptr<CoordinatedThread>;
// A thread that says itself when it ends.
class OwnThread final : public CoordinatedThread {
 public:
  explicit OwnThread(std::string name) : name_(std::move(name)) {}
  Result<bool> Alive() override { return alive_.load(); }
  Result<std::string> Name() override { return name_; }
  void End() { alive_ = false; }
  // Joins the thread if it has ended or is about to (a second is given); else lets go of it, with a warning.
  void JoinOrAbandon(std::thread& thread) const;

 private:
  const std::string name_;
  std::atomic<bool> alive_{true};
};

// Asked a few times a second by whoever waits; true ends the wait early.
using Interrupted = std::function<bool()>;

class Coordinator final {
 public:
  // Errors of the clean codes ask for a stop and are not reported.
  explicit Coordinator(std::set<StatusCode> clean = {StatusCode::kOutOfRange}, Clock& clock = RealClock())
      : clean_(std::move(clean)), clock_(clock) {}
  Coordinator(const Coordinator&) = delete;
  Coordinator& operator=(const Coordinator&) = delete;

  // What became of a request: kTooLate comes after Join, when nobody would see the error any more.
  enum class Outcome { kNoted, kFirstError, kTooLate };
  // An OK status asks for a stop without an error. Only the first request keeps its error.
  Outcome RequestStop(const Status& error = OkStatus());
  // The same, whatever the code is.
  Outcome ReportError(const Status& error);
  bool should_stop() const;
  // True once a stop is asked for; false when that many seconds have passed (none: no limit) or on an interrupt.
  bool WaitForStop(std::optional<double> seconds = {}, const Interrupted& interrupted = {}) const;
  // As it was when it was made, but for the registered threads.
  void ClearStop();
  Status error() const;  // the first one reported
  bool joined() const;

  // Join waits for it too.
  void RegisterThread(CoordinatedThreadPtr thread);

  struct JoinOptions {
    std::vector<CoordinatedThreadPtr> threads = {};  // beside those registered
    double stop_grace_period_secs = 120;
    bool ignore_live_threads = false;
    Interrupted interrupted = {};
  };
  // Waits until all threads have ended or a stop is asked for, and from then on for the grace period at most. The first
  // error that was reported; without one, FailedPrecondition with the names of threads that still run. Cancelled when
  // interrupted: nothing is joined then.
  Status Join(JoinOptions options);
  Status Join() { return Join(JoinOptions()); }
  // How many threads the last Join gave up on.
  int stragglers() const;

  // Calls `body` every `interval_secs`, back to back without one, until a stop is asked for or it fails.
  Status Loop(std::optional<double> interval_secs, FunctionRef<Status()> body) const;

 private:
  bool WaitUntil(int64_t deadline_nanos, const Interrupted& interrupted) const;
  Outcome Note(const Status& error);

  const std::set<StatusCode> clean_;
  Clock& clock_;
  mutable std::mutex mu_;
  mutable std::condition_variable stopping_;
  bool stop_ = false;
  bool joined_ = false;
  int stragglers_ = 0;
  Status error_;
  std::vector<CoordinatedThreadPtr> registered_;
};

// A thread that calls a function at intervals until its coordinator stops; an error of the function stops the
// coordinator. It is registered there, and ends before it is destroyed.
class LooperThread final {
 public:
  LooperThread(std::shared_ptr<Coordinator> coordinator, std::string name, std::optional<double> interval_secs,
               std::function<Status()> body);
  ~LooperThread();  // asks nobody to stop: REQUIRES that somebody does
  // Lets go of it unless it has ended: what it is stuck in may never come back.
  void JoinOrAbandon();
  LooperThread(const LooperThread&) = delete;
  LooperThread& operator=(const LooperThread&) = delete;

 private:
  const std::shared_ptr<OwnThread> handle_;
  std::thread thread_;
};

}  // namespace weir

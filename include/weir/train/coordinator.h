// Coordinator: stops a group of threads together. Join returns the first error that one of them reported. Thread-safe.
// No lock is held while a thread is polled for liveness or while a loop's body runs.
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

#include "weir/base/clock.h"
#include "weir/base/function_ref.h"
#include "weir/base/status.h"

namespace weir {

// A thread that Join waits for.
class CoordinatedThread {
 public:
  virtual ~CoordinatedThread() = default;
  virtual Result<bool> Alive() = 0;
  virtual Result<std::string> Name() = 0;
};
using CoordinatedThreadPtr = std::shared_ptr<CoordinatedThread>;
// A thread that reports its own end.
class TrackedThread final : public CoordinatedThread {
 public:
  explicit TrackedThread(std::string name) : name_(std::move(name)) {}
  Result<bool> Alive() override { return alive_.load(); }
  Result<std::string> Name() override { return name_; }
  void End() { alive_ = false; }
  // Joins the thread if it ends within a second; else logs a warning and detaches it.
  void JoinOrAbandon(std::thread& thread) const;

 private:
  const std::string name_;
  std::atomic<bool> alive_{true};
};

// Polled several times per second by a waiting thread; returning true ends the wait early.
using Interrupted = std::function<bool()>;

class Coordinator final {
 public:
  // Errors with a code in `clean` request a stop but are not reported.
  explicit Coordinator(std::set<StatusCode> clean = {StatusCode::kOutOfRange}, Clock& clock = RealClock())
      : clean_(std::move(clean)), clock_(clock) {}
  Coordinator(const Coordinator&) = delete;
  Coordinator& operator=(const Coordinator&) = delete;

  // The result of a request. kTooLate: Join has already returned, so the error would be lost.
  enum class Outcome { kNoted, kFirstError, kTooLate };
  // Requests a stop; OK means without an error. Only the error of the first request is kept.
  Outcome RequestStop(const Status& error = OkStatus());
  // Like RequestStop, but also reports errors with a clean code.
  Outcome ReportError(const Status& error);
  bool should_stop() const;
  // Waits for a stop request. False after `seconds` (nullopt: no timeout) or if interrupted.
  bool WaitForStop(std::optional<double> seconds = {}, const Interrupted& interrupted = {}) const;
  // Resets the stop request and the error. Registered threads are kept.
  void ClearStop();
  Status error() const;  // the first error reported
  bool joined() const;

  // Join also waits for this thread.
  void RegisterThread(CoordinatedThreadPtr thread);

  struct JoinOptions {
    std::vector<CoordinatedThreadPtr> threads = {};  // in addition to the registered ones
    double stop_grace_period_secs = 120;
    bool ignore_live_threads = false;
    Interrupted interrupted = {};
  };
  // Waits until all threads have ended, or for the grace period after a stop request. Returns the first error reported;
  // without one, FailedPrecondition with the names of threads that still run. Cancelled if interrupted: the threads
  // then stay registered.
  Status Join(JoinOptions options);
  Status Join() { return Join(JoinOptions()); }
  // The number of threads that the last Join gave up on.
  int stragglers() const;

  // Calls `body` every `interval_secs` (nullopt: without a pause) until a stop is requested or it fails.
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

// A thread that calls a function periodically until its coordinator stops. An error of the function stops the
// coordinator. Registers itself with the coordinator.
class LooperThread final {
 public:
  LooperThread(std::shared_ptr<Coordinator> coordinator, std::string name, std::optional<double> interval_secs,
               std::function<Status()> body);
  ~LooperThread();  // joins without requesting a stop; REQUIRES: the coordinator stops
  // Joins the thread, or detaches it if it does not end: it may be blocked forever.
  void JoinOrAbandon();
  LooperThread(const LooperThread&) = delete;
  LooperThread& operator=(const LooperThread&) = delete;

 private:
  const std::shared_ptr<TrackedThread> handle_;
  std::thread thread_;
};

}  // namespace weir

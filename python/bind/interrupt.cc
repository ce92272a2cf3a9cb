#include "bind/interrupt.h"
#include "base/status.h"

#include <pybind11/pybind11.h>
#include <semaphore.h>
#include <signal.h>

#include <atomic>
#include <mutex>
#include <thread>

namespace weir::python {
namespace {

namespace py = pybind11;

// The signal handler may use only async-signal-safe state: the semaphore, the atomics and the previous handler.
struct Watch {
  sem_t wake;
  std::atomic<uint64_t> armed{0};  // id of the wait that a signal cancels; 0: none. Set by the main thread
  std::atomic<uint64_t> hit{0};    // id of the wait during the last signal
  uint64_t next = 1;               // used by the main thread only
  struct sigaction before = {};
  std::mutex mu;
  CancelToken* token = nullptr;  // of the step that the main thread waits for; guarded by mu
  std::thread watcher;
  std::atomic<bool> stop{false};

  Watch() { sem_init(&wake, 0, 0); }
};
Watch* watch = nullptr;

void Handle(int number, siginfo_t* info, void* context) {
  if (const uint64_t armed = watch->armed.load(); armed != 0) {
    watch->hit.store(armed);
    sem_post(&watch->wake);
  }
  if ((watch->before.sa_flags & SA_SIGINFO) != 0)
    watch->before.sa_sigaction(number, info, context);
  else
    watch->before.sa_handler(number);
}

// Whether Python's default handler is installed. A user's own handler need not mean "stop".
bool PythonWouldInterrupt() {
  if (!Py_IsInitialized()) return false;
  py::gil_scoped_acquire gil;
  try {
    py::module_ signals = py::module_::import("signal");
    return signals.attr("getsignal")(SIGINT).is(signals.attr("default_int_handler"));
  } catch (py::error_already_set&) {
    return false;
  }
}

void WatchForSignals() {
  while (true) {
    while (sem_wait(&watch->wake) != 0) {
    }
    if (watch->stop) return;
    if (!PythonWouldInterrupt()) continue;
    std::lock_guard<std::mutex> lock(watch->mu);
    if (watch->token != nullptr && watch->armed.load() == watch->hit.load())
      watch->token->Cancel(Cancelled("the step was interrupted"));
  }
}

void EnsureWatcher() {
  if (watch != nullptr) return;
  watch = new Watch;
  sigaction(SIGINT, nullptr, &watch->before);
  // Block signals while creating the thread, which inherits the mask: the main thread must handle them.
  sigset_t all;
  sigset_t saved;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &saved);
  watch->watcher = std::thread(WatchForSignals);
  pthread_sigmask(SIG_SETMASK, &saved, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard(CancelToken& token) {
  if (_PyOS_IsMainThread() == 0 || (watch != nullptr && watch->stop)) return;
  EnsureWatcher();
  active_ = true;
  {
    std::lock_guard<std::mutex> lock(watch->mu);
    outer_ = watch->token;
    outer_armed_ = watch->armed.load();
    watch->token = &token;
    watch->armed = watch->next++;
  }
  if (outer_ != nullptr) return;
  struct sigaction ours = {};
  ours.sa_sigaction = Handle;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigaction(SIGINT, &ours, &watch->before);
  const bool python_handles = (watch->before.sa_flags & SA_SIGINFO) != 0 ||
                              (watch->before.sa_handler != SIG_DFL && watch->before.sa_handler != SIG_IGN);
  if (!python_handles) sigaction(SIGINT, &watch->before, nullptr);
}

InterruptGuard::~InterruptGuard() {
  if (!active_) return;
  if (outer_ == nullptr) sigaction(SIGINT, &watch->before, nullptr);
  std::lock_guard<std::mutex> lock(watch->mu);
  watch->token = outer_;
  watch->armed = outer_armed_;
}

bool SuspendInterrupts() {
  if (watch == nullptr || _PyOS_IsMainThread() == 0) return false;
  return watch->armed.exchange(0) != 0;
}

void ResumeInterrupts(bool suspended) {
  if (suspended) watch->armed = watch->next++;  // a new id: earlier signals must not cancel it
}

void StopInterruptWatcher() {
  if (watch == nullptr || watch->stop.exchange(true)) return;
  sem_post(&watch->wake);
  watch->watcher.join();
}

}  // namespace weir::python

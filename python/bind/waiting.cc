#include "bind/waiting.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "base/this_process.h"

namespace weir::python {
namespace {

struct Returns {
  std::mutex mu;
  std::condition_variable changed;
  int under_way = 0;  // threads that take the GIL, and those in an OnThread that may have it
  bool closed = false;
};
// How many OnThreads this thread is in.
thread_local int on_thread = 0;
Returns& TheReturns() {
  static Returns* returns = new Returns;  // threads may be parked in it for as long as the process is
  return *returns;
}

void CloseReturns() {
  PyThreadState* state = PyEval_SaveThread();
  {
    Returns& returns = TheReturns();
    std::unique_lock<std::mutex> lock(returns.mu);
    returns.closed = true;
    // What a program's own functions do may take longer than anybody wants to wait; on a busy machine so may ours.
    constexpr std::chrono::seconds kPatience(10);
    returns.changed.wait_for(lock, kPatience, [&] { return returns.under_way == 0; });
  }
  PyEval_RestoreThread(state);
}

// Keeps the GIL, which is worth something in every step. False once the interpreter goes.
bool TryBeginReturn() {
  Returns& returns = TheReturns();
  std::lock_guard<std::mutex> lock(returns.mu);
  if (returns.closed) return false;
  ++returns.under_way;
  return true;
}

}  // namespace

bool IsMainThread() {
  thread_local pid_t asked_in = 0;  // a forked child has another main thread
  thread_local bool is_main = false;
  if (const pid_t process = ThisProcess(); asked_in != process) {
    asked_in = process;
    is_main = process == gettid();
  }
  return is_main;
}

void BeginReturn() {
  Returns& returns = TheReturns();
  std::unique_lock<std::mutex> lock(returns.mu);
  if (returns.closed && !IsMainThread()) returns.changed.wait(lock, [] { return false; });
  ++returns.under_way;
}

void EndReturn() {
  if (on_thread > 0) return;  // under way until it waits again
  Returns& returns = TheReturns();
  std::lock_guard<std::mutex> lock(returns.mu);
  --returns.under_way;
  returns.changed.notify_all();
}

void BeginAway() {
  if (on_thread == 0) return;
  Returns& returns = TheReturns();
  std::lock_guard<std::mutex> lock(returns.mu);
  --returns.under_way;
  returns.changed.notify_all();
}

OnThread::OnThread() {
  if (IsMainThread()) return;
  if (on_thread == 0 && !TryBeginReturn()) {
    PyEval_SaveThread();
    BeginReturn();  // for good
  }
  ++on_thread;
}

OnThread::~OnThread() {
  if (IsMainThread()) return;
  if (on_thread == 1) BeginAway();
  --on_thread;
}

void BindWaiting(py::module_&) { py::module_::import("atexit").attr("register")(py::cpp_function(&CloseReturns)); }

}  // namespace weir::python

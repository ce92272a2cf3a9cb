#include "bind/waiting.h"

#include <unistd.h>

#include <condition_variable>
#include <mutex>

namespace weir::python {
namespace {

struct Returns {
  std::mutex mu;
  std::condition_variable changed;
  int under_way = 0;
  bool closed = false;
};
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
    returns.changed.wait(lock, [&] { return returns.under_way == 0; });
  }
  PyEval_RestoreThread(state);
}

}  // namespace

bool IsMainThread() { return getpid() == gettid(); }

void BeginReturn() {
  Returns& returns = TheReturns();
  std::unique_lock<std::mutex> lock(returns.mu);
  if (returns.closed && !IsMainThread()) returns.changed.wait(lock, [] { return false; });
  ++returns.under_way;
}

void EndReturn() {
  Returns& returns = TheReturns();
  std::lock_guard<std::mutex> lock(returns.mu);
  --returns.under_way;
  returns.changed.notify_all();
}

void BindWaiting(py::module_&) { py::module_::import("atexit").attr("register")(py::cpp_function(&CloseReturns)); }

}  // namespace weir::python

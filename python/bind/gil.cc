#include "bind/gil.h"

#include <cxxabi.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/this_process.h"

namespace weir::python {
namespace {

// Both are sequentially consistent: an entering thread sees `closed`, or the exiting thread sees it in `inside`.
struct ExitGate {
  std::atomic<int> inside{0};  // threads with the GIL in a counted call, or acquiring it
  std::atomic<bool> closed{false};
  std::mutex mu;
  std::condition_variable left;
};
ExitGate& GetExitGate() {
  static ExitGate* gate = [] {
    auto* made = new ExitGate;  // leaked: parked threads use it until the process ends
    // A forked child has no other threads.
    pthread_atfork(nullptr, nullptr, [] { GetExitGate().inside = 0; });
    return made;
  }();
  return *gate;
}

// A failing thread prints its exception. If the interpreter ends the thread meanwhile, the lock of sys.stderr stays
// held, and the interpreter aborts because of that.
bool IsAnyThreadPrintingException() {
  const py::dict frames = py::module_::import("sys").attr("_current_frames")();
  for (const auto& thread : frames) {
    for (auto frame = py::reinterpret_borrow<py::object>(thread.second); !frame.is_none(); frame = frame.attr("f_back"))
      if (frame.attr("f_code").attr("co_name").cast<std::string>() == "invoke_excepthook") return true;
  }
  return false;
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

namespace {

thread_local bool is_exiting_thread = false;
bool NeverParks() { return is_exiting_thread || IsMainThread(); }

}  // namespace

int& CountedCalls() {
  thread_local int calls = 0;
  return calls;
}

void LeavePython() {
  if (NeverParks()) return;
  ExitGate& gate = GetExitGate();
  if (gate.inside.fetch_sub(1) != 1 || !gate.closed) return;
  const std::lock_guard lock(gate.mu);
  gate.left.notify_all();
}

bool TryEnterPython() {
  if (NeverParks()) return true;
  ExitGate& gate = GetExitGate();
  gate.inside.fetch_add(1);
  if (!gate.closed) return true;
  LeavePython();
  return false;
}

void ParkThread() {
  for (;;) pause();
}

void EnterPythonOrPark() {
  if (!TryEnterPython()) ParkThread();
}

CountedCall::CountedCall(AtExit at_exit) {
  if (NeverParks()) return;
  if (CountedCalls() == 0 && !TryEnterPython()) {
    if (at_exit == AtExit::kProceed) return;
    PyEval_SaveThread();
    ParkThread();
  }
  counted_ = true;
  ++CountedCalls();
}

CountedCall::~CountedCall() {
  if (!counted_ || IsMainThread()) return;  // main thread of a child that was forked inside of the call
  if (--CountedCalls() == 0) LeavePython();
}

py::object CallOrPark(py::handle function, const py::tuple& arguments) {
  PyObject* result = nullptr;
  try {
    result = PyObject_CallObject(function.ptr(), arguments.ptr());
  } catch (abi::__forced_unwind&) {
    ParkThread();
  }
  if (result == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(result);
}

void ParkOtherThreads() {
  // User functions may run inside of counted calls for any time: limit the wait.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(3);
  is_exiting_thread = true;
  {
    const py::gil_scoped_release release;
    ExitGate& gate = GetExitGate();
    gate.closed = true;
    std::unique_lock lock(gate.mu);
    gate.left.wait_until(lock, deadline, [&] { return gate.inside == 0; });
  }
  while (IsAnyThreadPrintingException() && std::chrono::steady_clock::now() < deadline) {
    const py::gil_scoped_release release;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace weir::python

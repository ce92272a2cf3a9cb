// Safe shutdown with running threads. If a thread requests the GIL during shutdown, Python ends it by unwinding its
// stack, including C++ frames, whose destructors would run without the GIL. So once the exit has begun, a thread that
// enters this module or reacquires the GIL parks forever instead, and the exit waits for threads that are inside this
// module with the GIL. The main thread and the exiting thread never park.
#pragma once

#include <pybind11/pybind11.h>

#include "bind/interrupt.h"

namespace weir::python {

namespace py = pybind11;

// Unlike Python's own function, does not need the GIL.
bool IsMainThread();

// Registers this thread as one that the exit waits for. Returns false once the exit has begun: do not call Python then.
bool TryEnterPython();
void LeavePython();
// TryEnterPython that parks the thread once the exit has begun. REQUIRES: the GIL is not held.
void EnterPythonOrPark();
[[noreturn]] void ParkThread();

// The nesting depth of counted calls on this thread. The thread counts as inside the module while it is in such a call
// and holds the GIL.
int& CountedCalls();

// Scope of a call from Python into this module, which may call back Python. REQUIRES: the GIL is held at both ends.
class CountedCall final {
 public:
  enum class AtExit { kPark, kProceed };
  explicit CountedCall(AtExit at_exit = AtExit::kPark);
  ~CountedCall();
  CountedCall(const CountedCall&) = delete;
  CountedCall& operator=(const CountedCall&) = delete;

 private:
  bool counted_ = false;
};

// Releases the GIL until the end of the block.
class ReleaseGil final {
 public:
  ReleaseGil() : state_(PyEval_SaveThread()) {
    if (CountedCalls() > 0) LeavePython();
  }
  ~ReleaseGil() {
    EnterPythonOrPark();
    PyEval_RestoreThread(state_);
    if (CountedCalls() == 0) LeavePython();
  }
  ReleaseGil(const ReleaseGil&) = delete;
  ReleaseGil& operator=(const ReleaseGil&) = delete;

 private:
  PyThreadState* state_;
};

// Acquires the GIL again within a ReleaseGil. No-op if the thread holds it.
class AcquireGil final {
 public:
  AcquireGil() : taken_(PyGILState_Check() == 0) {
    if (!taken_) return;
    EnterPythonOrPark();
    state_ = PyGILState_Ensure();
    ++CountedCalls();
    suspended_ = SuspendInterrupts();
  }
  ~AcquireGil() {
    if (!taken_) return;
    ResumeInterrupts(suspended_);
    --CountedCalls();
    PyGILState_Release(state_);
    LeavePython();
  }
  AcquireGil(const AcquireGil&) = delete;
  AcquireGil& operator=(const AcquireGil&) = delete;

 private:
  const bool taken_;
  bool suspended_ = false;
  PyGILState_STATE state_ = PyGILState_UNLOCKED;
};
template <class F>
auto InPython(F&& body) {
  const AcquireGil gil;
  return body();
}

// Calls function(*arguments), for user functions that may block for longer than the exit waits. If the interpreter ends
// the thread during the call, parks it before any C++ frame is unwound.
py::object CallOrPark(py::handle function, const py::tuple& arguments);

// Call from atexit, with the GIL: makes other threads park. Waits up to a few seconds for threads inside of the module.
void ParkOtherThreads();

// Makes every bound function, method and destructor of the module a CountedCall.
void CountCalls(py::module_& m);
// The same for a function that is created later.
py::cpp_function Counted(py::cpp_function function);

}  // namespace weir::python

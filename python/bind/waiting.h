// Waiting without the GIL on threads that the interpreter may end: whoever asks for the GIL while the interpreter goes
// is ended by it in the middle of C++, so a daemon thread that comes back too late stays parked instead.
#pragma once

#include <pybind11/pybind11.h>

#include "bind/interrupt.h"

namespace weir::python {

namespace py = pybind11;

// Also without the GIL, which Python's own question needs.
bool IsMainThread();

// Around taking the GIL again. BeginReturn does not return once the interpreter goes.
void BeginReturn();
void EndReturn();
// The GIL was given away.
void BeginAway();

// Without the GIL from here to the end of the block.
class Waiting final {
 public:
  Waiting() : state_(PyEval_SaveThread()) { BeginAway(); }
  ~Waiting() {
    BeginReturn();
    PyEval_RestoreThread(state_);
    EndReturn();
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  PyThreadState* state_;
};

// With the GIL inside of a Waiting; nothing where the thread has it.
class WithGil final {
 public:
  WithGil() : taken_(PyGILState_Check() == 0) {
    if (!taken_) return;
    BeginReturn();
    state_ = PyGILState_Ensure();
    EndReturn();
    suspended_ = SuspendInterrupts();
  }
  ~WithGil() {
    if (!taken_) return;
    ResumeInterrupts(suspended_);
    PyGILState_Release(state_);
    BeginAway();
  }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  const bool taken_;
  bool suspended_ = false;
  PyGILState_STATE state_ = PyGILState_UNLOCKED;
};
template <class F>
auto InPython(F&& body) {
  const WithGil gil;
  return body();
}

// All that a thread of Python does in a function of C++ that calls Python. The interpreter ends threads in the middle
// of Python, through the frames of C++ below it, which must not happen: it waits at exit until such threads wait too.
class OnThread final {
 public:
  OnThread();
  ~OnThread();
  OnThread(const OnThread&) = delete;
  OnThread& operator=(const OnThread&) = delete;
};

// At exit no thread is under way from then on.
void BindWaiting(py::module_& m);

}  // namespace weir::python

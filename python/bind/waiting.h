// How the threads of a program meet the end of the interpreter. Python ends a thread that asks for the GIL during
// shutdown by unwinding its stack, C++ frames included, and their destructors would then run without the GIL. So once
// the exit has begun, a thread that would enter this module or take the GIL back parks for good instead, and the exit
// waits for the threads that are inside this module with the GIL. The main thread, and the one that exits, never park.
#pragma once

#include <pybind11/pybind11.h>

#include "bind/interrupt.h"

namespace weir::python {

namespace py = pybind11;

// Does not need the GIL, unlike Python's own question.
bool IsMainThread();

// Counts this thread among those that the exit waits for. False once the exit has begun: do not touch Python then.
bool TryEnterPython();
void LeavePython();
// TryEnterPython that parks the thread once the exit has begun. Call it without the GIL.
void EnterPythonOrPark();
[[noreturn]] void ParkThread();

// How many counted calls this thread is in: it is counted while it has the GIL inside of them.
int& CountedCalls();

// A call from Python into this module, which may call Python back. Made and ended with the GIL.
class CountedCall final {
 public:
  enum class AtExit { kPark, kGoOn };
  explicit CountedCall(AtExit at_exit = AtExit::kPark);
  ~CountedCall();
  CountedCall(const CountedCall&) = delete;
  CountedCall& operator=(const CountedCall&) = delete;

 private:
  bool counted_ = false;
};

// Without the GIL from here to the end of the block.
class Waiting final {
 public:
  Waiting() : state_(PyEval_SaveThread()) {
    if (CountedCalls() > 0) LeavePython();
  }
  ~Waiting() {
    EnterPythonOrPark();
    PyEval_RestoreThread(state_);
    if (CountedCalls() == 0) LeavePython();
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
    EnterPythonOrPark();
    state_ = PyGILState_Ensure();
    ++CountedCalls();
    suspended_ = SuspendInterrupts();
  }
  ~WithGil() {
    if (!taken_) return;
    ResumeInterrupts(suspended_);
    --CountedCalls();
    PyGILState_Release(state_);
    LeavePython();
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

// function(*arguments), for functions of the program that may block for longer than the exit waits. Where the
// interpreter ends the thread inside of the call, it parks before any frame of C++ is unwound.
py::object CallOrPark(py::handle function, const py::tuple& arguments);

// For atexit, with the GIL: from here on other threads park. Waits for those that are inside of the module, for a few
// seconds at most.
void ParkOtherThreads();

// Makes every function, method and destructor that the module has bound a CountedCall.
void CountCalls(py::module_& m);
// The same for a function that is made later.
py::cpp_function Counted(py::cpp_function function);

}  // namespace weir::python

// Waiting without the GIL on threads that the interpreter may end: whoever asks for the GIL while the interpreter goes
// is ended by it in the middle of C++, so a daemon thread that comes back too late stays parked instead.
#pragma once

#include <pybind11/pybind11.h>

namespace weir::python {

namespace py = pybind11;

// Also without the GIL, which Python's own question needs.
bool IsMainThread();

// Around taking the GIL again. BeginReturn does not return once the interpreter goes.
void BeginReturn();
void EndReturn();

// Without the GIL from here to the end of the block.
class Waiting final {
 public:
  Waiting() : state_(PyEval_SaveThread()) {}
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

// With the GIL inside of a Waiting.
template <class F>
auto InPython(F&& body) {
  BeginReturn();
  py::gil_scoped_acquire gil;
  EndReturn();
  return body();
}

// At exit no thread is under way from then on.
void BindWaiting(py::module_& m);

}  // namespace weir::python

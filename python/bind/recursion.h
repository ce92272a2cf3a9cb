// RecursionGuard: counts a function that calls itself as a call of Python, so that a structure that is nested too
// deeply is a RecursionError instead of the end of the process.
#pragma once

#include <pybind11/pybind11.h>

namespace weir::python {

class RecursionGuard final {
 public:
  // `where` as Python says it: " while flattening a structure".
  explicit RecursionGuard(const char* where) {
    // Python's own limit may have been raised beyond what the stack has room for.
    constexpr int kMaxDepth = 5000;
    if (Depth() >= kMaxDepth) {
      PyErr_Format(PyExc_RecursionError, "maximum recursion depth exceeded%s", where);
      throw pybind11::error_already_set();
    }
    if (Py_EnterRecursiveCall(where) != 0) throw pybind11::error_already_set();
    ++Depth();
  }
  ~RecursionGuard() {
    --Depth();
    Py_LeaveRecursiveCall();
  }
  RecursionGuard(const RecursionGuard&) = delete;
  RecursionGuard& operator=(const RecursionGuard&) = delete;

 private:
  static int& Depth() {
    thread_local int depth = 0;
    return depth;
  }
};

}  // namespace weir::python

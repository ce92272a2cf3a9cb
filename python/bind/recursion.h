// RecursionGuard: counts a recursive C++ call towards Python's recursion limit, so that a structure that is nested too
// deeply raises RecursionError instead of overflowing the stack.
#pragma once

#include <pybind11/pybind11.h>

namespace weir::python {

class RecursionGuard final {
 public:
  // `where` is appended to the error message, e.g. " while flattening a structure".
  explicit RecursionGuard(const char* where) {
    // Python's own limit may have been raised above what the stack allows.
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

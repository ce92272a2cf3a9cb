// RunBlocking: calls functions that may block, without the GIL, cancellable by Ctrl-C.
#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <type_traits>

#include "base/status.h"
#include "bind/gil.h"
#include "bind/interrupt.h"

namespace weir::python {

namespace py = pybind11;

// Raises the exception of a pending signal.
inline void CheckSignals() {
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

// Runs `body(cancel)`, which returns a Status or a Result, without the GIL. Ctrl-C on the main thread cancels it and
// raises KeyboardInterrupt. `raise(status)` must throw the exception for any other error.
template <class F, class Raise>
auto RunBlocking(F&& body, Raise&& raise) {
  CheckSignals();
  std::optional<std::invoke_result_t<F, CancelToken*>> ran;
  bool interrupted = false;
  {
    CancelToken cancel;
    std::optional<InterruptGuard> guard(std::in_place, cancel);
    ReleaseGil waiting;
    ran = body(&cancel);
    guard.reset();
    interrupted = cancel.cancelled();
  }
  Status status;
  if constexpr (std::is_same_v<std::decay_t<decltype(*ran)>, Status>)
    status = *ran;
  else
    status = ran->status();
  if (!status.ok()) {
    CheckSignals();
    if (interrupted) {  // the signal was consumed by Python code in the meantime
      PyErr_SetNone(PyExc_KeyboardInterrupt);
      throw py::error_already_set();
    }
    raise(status);
  }
  return *std::move(ran);
}

}  // namespace weir::python

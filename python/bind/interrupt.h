// Ctrl-C during a step: while the main thread waits in C++, Python cannot act on the signal, so the step is cancelled
// for it. A handler is in place only for the time of a step, and passes the signal on to Python's own. A signal cancels
// the wait that it comes in, and no other.
#pragma once

#include <cstdint>

#include "op/cancel.h"

namespace weir::python {

class InterruptGuard final {
 public:
  // Does something on the main thread only, and only where Python handles SIGINT. Made with the GIL, ended without.
  // Inside of another one (a hook's own step) only its token is cancelled.
  explicit InterruptGuard(CancelToken& token);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  bool active_ = false;
  CancelToken* outer_ = nullptr;  // of the guard around this one
  uint64_t outer_armed_ = 0;
};

// While the main thread runs Python inside of a guard, signals are Python's own affair. Gives what Resume takes. Both
// do nothing elsewhere.
bool SuspendInterrupts();
void ResumeInterrupts(bool suspended);

// Ends the thread that waits for the signal. The GIL must not be held.
void StopInterruptWatcher();

}  // namespace weir::python

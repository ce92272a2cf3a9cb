// Ctrl-C during a step. While the main thread waits in C++, Python cannot handle the signal, so the step is cancelled
// instead. A signal handler is installed only during a step, and forwards the signal to Python's handler. A signal
// cancels only the wait during which it arrives.
#pragma once

#include <cstdint>

#include "op/cancel.h"

namespace weir::python {

class InterruptGuard final {
 public:
  // No-op unless on the main thread with Python handling SIGINT. REQUIRES: constructed with the GIL, destroyed without.
  // A nested guard (for a hook's own step) redirects cancellation to its own token.
  explicit InterruptGuard(CancelToken& token);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  bool active_ = false;
  CancelToken* outer_ = nullptr;  // of the enclosing guard
  uint64_t outer_armed_ = 0;
};

// Call around Python code that runs on the main thread inside of a guard: Python then handles signals itself.
// ResumeInterrupts takes the result of SuspendInterrupts. No-ops elsewhere.
bool SuspendInterrupts();
void ResumeInterrupts(bool suspended);

// Joins the thread that waits for the signal. REQUIRES: the GIL is not held.
void StopInterruptWatcher();

}  // namespace weir::python

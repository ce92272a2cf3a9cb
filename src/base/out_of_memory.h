// Where exceptions of the standard library end. Allocations that fail inside of containers and strings throw
// (std::bad_alloc, std::length_error); at the edge of a thread, a kernel, a call or a binding they become a Status.
#ifndef WEIR_BASE_OUT_OF_MEMORY_H_
#define WEIR_BASE_OUT_OF_MEMORY_H_

#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "base/status.h"

namespace weir {

// A std::bad_alloc that knows what was asked for.
class OutOfMemory final : public std::bad_alloc {
 public:
  explicit OutOfMemory(Status status) : status_(std::move(status)), what_(status_.message()) {}
  const char* what() const noexcept override { return what_.c_str(); }
  const Status& status() const { return status_; }

 private:
  const Status status_;
  const std::string what_;
};

// For functions that have no Status to return, as containers do. `status` is an error.
[[noreturn]] void ThrowOutOfMemory(Status status);

// The exception that is being handled, as a Status: ResourceExhausted where memory was exhausted, else Internal.
// `where` names what threw. To be called in a catch block.
Status StatusOfCaught(std::string_view where);

// Logs the exception that is being handled, where there is nobody to be told.
void LogCaught(std::string_view where);

// Runs `body`, which returns a Status or a Result, and turns exceptions into an error.
template <class F>
auto CatchOutOfMemory(std::string_view where, F&& body) -> std::invoke_result_t<F> {
  try {
    return std::forward<F>(body)();
  } catch (...) {
    return StatusOfCaught(where);
  }
}

}  // namespace weir

#endif  // WEIR_BASE_OUT_OF_MEMORY_H_

// Conversion of standard library exceptions to Status. Allocations that fail in containers and strings throw
// (std::bad_alloc, std::length_error). Threads, kernels, RPC handlers and bindings catch them at their boundary.
#ifndef WEIR_BASE_OUT_OF_MEMORY_H_
#define WEIR_BASE_OUT_OF_MEMORY_H_

#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "weir/base/status.h"

namespace weir {

// A std::bad_alloc that carries a Status.
class OutOfMemory final : public std::bad_alloc {
 public:
  explicit OutOfMemory(Status status) : status_(std::move(status)), what_(status_.message()) {}
  const char* what() const noexcept override { return what_.c_str(); }
  const Status& status() const { return status_; }

 private:
  const Status status_;
  const std::string what_;
};

// For functions that cannot return a Status, such as containers. REQUIRES: `status` is an error.
[[noreturn]] void ThrowOutOfMemory(Status status);

// Converts the current exception: ResourceExhausted if an allocation failed, else Internal. `where` names the code
// that threw. REQUIRES: called in a catch block.
Status StatusFromCurrentException(std::string_view where);

// Logs the current exception. For exceptions that cannot be returned to a caller. REQUIRES: called in a catch block.
void LogCurrentException(std::string_view where);

// Runs `body`, which returns a Status or a Result, and converts exceptions to an error.
template <class F>
auto CatchOutOfMemory(std::string_view where, F&& body) -> std::invoke_result_t<F> {
  try {
    return std::forward<F>(body)();
  } catch (...) {
    return StatusFromCurrentException(where);
  }
}

}  // namespace weir

#endif  // WEIR_BASE_OUT_OF_MEMORY_H_

// Errors are values: Status and Result<T> are absl's; their codes are those of gRPC and TensorFlow.
#ifndef WEIR_BASE_STATUS_H_
#define WEIR_BASE_STATUS_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace weir {

using Status = absl::Status;
using StatusCode = absl::StatusCode;
template <class T>
using Result = absl::StatusOr<T>;

inline Status OkStatus() { return absl::OkStatus(); }

// An error: MakeStatus(StatusCode::kInvalidArgument, "the rate must be positive").
Status MakeStatus(StatusCode code, std::string_view message);

// Prepends `context` to the message. Keeps the payloads.
Status WithContext(const Status& status, std::string_view context);

// The node that caused an error, kept as a payload so that every layer above can report it. The first node wins:
// MarkNode on a marked status is a no-op.
Status MarkNode(const Status& status, std::string_view node_name);
std::optional<std::string> NodeOf(const Status& status);

// Marks the error as a wrong type in a graph construction call: Python raises TypeError instead of ValueError.
Status MarkTypeError(const Status& status);
bool IsTypeError(const Status& status);

// Marks the error as a consequence of another one, e.g. the abort of a step after its first error.
Status MarkDerived(const Status& status);
bool IsDerived(const Status& status);

}  // namespace weir

#define WEIR_CONCAT_INNER(a, b) a##b
#define WEIR_CONCAT(a, b) WEIR_CONCAT_INNER(a, b)

// Returns from the enclosing function when `expr` (a Status) is an error.
#define WEIR_TRY(expr)                                                                 \
  do {                                                                                 \
    if (::weir::Status weir_status_ = (expr); !weir_status_.ok()) return weir_status_; \
  } while (false)

// WEIR_ASSIGN(auto x, Compute()): declares or assigns x, or returns the error of a Result.
#define WEIR_ASSIGN(target, expr) WEIR_ASSIGN_INNER(WEIR_CONCAT(weir_result_, __LINE__), target, expr)
#define WEIR_ASSIGN_INNER(result, target, expr)        \
  auto result = (expr);                                \
  if (!result.ok()) return std::move(result).status(); \
  target = std::move(result).value()

#endif  // WEIR_BASE_STATUS_H_

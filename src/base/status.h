// Errors are values: Status and Result<T> are absl's; their codes are those of gRPC and TensorFlow.
// The constructors below take fmt format strings: InvalidArgument("{} x {}: inner dimensions differ", a, b).
#ifndef WEIR_BASE_STATUS_H_
#define WEIR_BASE_STATUS_H_

#include <fmt/format.h>

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

Status MakeStatus(StatusCode code, std::string_view message);

#define WEIR_DEFINE_ERROR(Name, Code)                                          \
  template <class... Args>                                                     \
  Status Name(fmt::format_string<Args...> format, Args&&... args) {            \
    return MakeStatus(Code, fmt::format(format, std::forward<Args>(args)...)); \
  }
WEIR_DEFINE_ERROR(Cancelled, StatusCode::kCancelled)
WEIR_DEFINE_ERROR(UnknownError, StatusCode::kUnknown)
WEIR_DEFINE_ERROR(InvalidArgument, StatusCode::kInvalidArgument)
WEIR_DEFINE_ERROR(DeadlineExceeded, StatusCode::kDeadlineExceeded)
WEIR_DEFINE_ERROR(NotFound, StatusCode::kNotFound)
WEIR_DEFINE_ERROR(AlreadyExists, StatusCode::kAlreadyExists)
WEIR_DEFINE_ERROR(ResourceExhausted, StatusCode::kResourceExhausted)
WEIR_DEFINE_ERROR(FailedPrecondition, StatusCode::kFailedPrecondition)
WEIR_DEFINE_ERROR(Aborted, StatusCode::kAborted)
WEIR_DEFINE_ERROR(OutOfRange, StatusCode::kOutOfRange)
WEIR_DEFINE_ERROR(Unimplemented, StatusCode::kUnimplemented)
WEIR_DEFINE_ERROR(Internal, StatusCode::kInternal)
WEIR_DEFINE_ERROR(Unavailable, StatusCode::kUnavailable)
WEIR_DEFINE_ERROR(DataLoss, StatusCode::kDataLoss)
#undef WEIR_DEFINE_ERROR

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

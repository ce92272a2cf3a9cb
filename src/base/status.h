// Internal version of the public header: adds constructors that take fmt format strings: InvalidArgument("{} x {}:
// inner dimensions differ", a, b).
#ifndef WEIR_BASE_FORMATTED_STATUS_H_
#define WEIR_BASE_FORMATTED_STATUS_H_

#include <fmt/format.h>

#include <utility>

#include "weir/base/status.h"

namespace weir {

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

}  // namespace weir

#endif  // WEIR_BASE_FORMATTED_STATUS_H_

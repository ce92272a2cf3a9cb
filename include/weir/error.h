// ThrowIfError and ValueOrThrow turn a Status or a Result into an exception (weir/base/error.h).
#pragma once

#include <utility>

#include "weir/base/error.h"

namespace weir {

inline void ThrowIfError(const Status& status) {
  if (!status.ok()) throw Error(status);
}
template <class T>
T ValueOrThrow(Result<T> result) {
  ThrowIfError(result.status());
  return *std::move(result);
}

}  // namespace weir

// Error: the exception of the C++ API. Everything below it returns a Status or a Result; ThrowIfError and ValueOrThrow
// turn these into exceptions.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "weir/base/status.h"

namespace weir {

// The exception for a failed Status: TensorFlow's error code and, if known, the node.
class Error : public std::runtime_error {
 public:
  explicit Error(const Status& status);
  Error(StatusCode code, std::string_view message) : Error(MakeStatus(code, message)) {}
  StatusCode code() const { return status_.code(); }
  const std::string& node() const { return node_; }
  const Status& status() const { return status_; }

 private:
  Status status_;
  std::string node_;
};

inline void ThrowIfError(const Status& status) {
  if (!status.ok()) throw Error(status);
}
template <class T>
T ValueOrThrow(Result<T> result) {
  ThrowIfError(result.status());
  return *std::move(result);
}

}  // namespace weir

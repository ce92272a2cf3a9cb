// Error: the exception of the C++ API. The API turns a Status into an Error, and Tensor throws one if a program
// accesses it with the wrong type or count. All other code returns a Status or a Result.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

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

}  // namespace weir

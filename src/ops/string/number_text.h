// Parsing of numbers, shared by all ops that read them. Surrounding white space is allowed. Integers out of range are
// errors; floating-point numbers out of range become infinity or zero.
#pragma once

#include <string>

#include "absl/strings/numbers.h"

namespace weir::ops {

template <class T>
bool ParseNumber(const std::string& text, T* value) {
  if constexpr (std::is_same_v<T, float>) {
    return absl::SimpleAtof(text, value);
  } else if constexpr (std::is_same_v<T, double>) {
    return absl::SimpleAtod(text, value);
  } else {
    return absl::SimpleAtoi(text, value);
  }
}

}  // namespace weir::ops

// Numbers out of text, as every op that reads them does it: white space around them is fine, integers out of range are
// not, floating-point numbers out of range are infinite or zero.
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

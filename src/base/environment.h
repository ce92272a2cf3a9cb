// Numbers from environment variables.
#ifndef WEIR_BASE_ENVIRONMENT_H_
#define WEIR_BASE_ENVIRONMENT_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "base/status.h"

namespace weir {

// What a variable may say: a number of `unit` from `least` to `most`.
template <class T>
struct EnvironmentNumber {
  const char* variable;
  const char* unit;
  T least;
  T most = std::numeric_limits<T>::max();
};

// The number that the environment says; nullopt where the variable is not set. InvalidArgument, with the variable and
// its text, for anything else than a number in the range.
Result<std::optional<int64_t>> ReadEnvironment(const EnvironmentNumber<int64_t>& wanted);
Result<std::optional<double>> ReadEnvironment(const EnvironmentNumber<double>& wanted);

// The same where the program goes on without the number: logs a warning, which ends with `otherwise`.
std::optional<int64_t> ReadEnvironmentOrWarn(const EnvironmentNumber<int64_t>& wanted, std::string_view otherwise);
// The same with a default.
int64_t ReadEnvironmentOr(const EnvironmentNumber<int64_t>& wanted, int64_t otherwise);

}  // namespace weir

#endif  // WEIR_BASE_ENVIRONMENT_H_

// Numbers from environment variables.
#ifndef WEIR_BASE_ENVIRONMENT_H_
#define WEIR_BASE_ENVIRONMENT_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "base/status.h"

namespace weir {

// A variable whose value is a number of `unit` from `least` to `most`.
template <class T>
struct EnvironmentNumber {
  const char* variable;
  const char* unit;
  T least;
  T most = std::numeric_limits<T>::max();
};

// Returns the value of the variable; nullopt if it is not set. InvalidArgument, which names the variable and its text,
// if that is not a number in the range.
Result<std::optional<int64_t>> ReadEnvironment(const EnvironmentNumber<int64_t>& wanted);
Result<std::optional<double>> ReadEnvironment(const EnvironmentNumber<double>& wanted);

// The same for programs that continue without the number: an invalid value is logged as a warning and ignored.
// `otherwise` is the end of the warning and says what happens instead, e.g. "5 is used".
std::optional<int64_t> ReadEnvironmentOrWarn(const EnvironmentNumber<int64_t>& wanted, std::string_view otherwise);
// The same with a default.
int64_t ReadEnvironmentOr(const EnvironmentNumber<int64_t>& wanted, int64_t otherwise);

}  // namespace weir

#endif  // WEIR_BASE_ENVIRONMENT_H_

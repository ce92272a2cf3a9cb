#include "base/environment.h"

#include <charconv>
#include <cstdlib>

#include "base/log.h"

namespace weir {
namespace {

template <class T>
Result<std::optional<T>> Read(const EnvironmentNumber<T>& wanted) {
  const char* variable = std::getenv(wanted.variable);
  if (variable == nullptr) return std::optional<T>();
  const std::string_view text = variable;
  T number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size() && number >= wanted.least && number <= wanted.most)
    return std::optional<T>(number);
  const bool bounded = wanted.most != std::numeric_limits<T>::max();
  return InvalidArgument("{}='{}' is not a number of {} from {} {}", wanted.variable, text, wanted.unit, wanted.least,
                         bounded ? fmt::format("to {}", wanted.most) : "on");
}

}  // namespace

Result<std::optional<int64_t>> ReadEnvironment(const EnvironmentNumber<int64_t>& wanted) { return Read(wanted); }
Result<std::optional<double>> ReadEnvironment(const EnvironmentNumber<double>& wanted) { return Read(wanted); }

std::optional<int64_t> ReadEnvironmentOrWarn(const EnvironmentNumber<int64_t>& wanted, std::string_view otherwise) {
  const Result<std::optional<int64_t>> number = ReadEnvironment(wanted);
  if (number.ok()) return *number;
  LogWarning("{}: {}", std::string(number.status().message()), otherwise);
  return std::nullopt;
}

int64_t ReadEnvironmentOr(const EnvironmentNumber<int64_t>& wanted, int64_t otherwise) {
  return ReadEnvironmentOrWarn(wanted, fmt::format("{} is used", otherwise)).value_or(otherwise);
}

}  // namespace weir

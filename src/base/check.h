// WEIR_CHECK(cond, operands...): an assertion for internal bugs. Input from a user, a file or the network must never
// make one fail. On failure, prints the condition, the operands and the source location, then aborts.
#ifndef WEIR_BASE_CHECK_H_
#define WEIR_BASE_CHECK_H_

#include <fmt/format.h>

#include <string>

namespace weir {
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition, const std::string& operands);

template <class... Args>
std::string DescribeOperands(const Args&... args) {
  std::string text;
  ((text += fmt::format(" {}", args)), ...);
  return text;
}
}  // namespace weir

#define WEIR_CHECK(cond, ...)                                                                \
  do {                                                                                       \
    if (!(cond)) [[unlikely]]                                                                \
      ::weir::CheckFailed(__FILE__, __LINE__, #cond, ::weir::DescribeOperands(__VA_ARGS__)); \
  } while (false)

#endif  // WEIR_BASE_CHECK_H_

// Logging to standard error, through spdlog. The level comes from WEIR_LOG (debug, info, warning, error, off) or
// TF_CPP_MIN_LOG_LEVEL (0..3). Thread-safe.
#ifndef WEIR_BASE_LOG_H_
#define WEIR_BASE_LOG_H_

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace weir {

enum class LogLevel { kDebug, kInfo, kWarning, kError };
void LogLine(LogLevel level, std::string_view message);
bool LogEnabled(LogLevel level);

template <class... Args>
void LogInfo(fmt::format_string<Args...> format, Args&&... args) {
  if (LogEnabled(LogLevel::kInfo)) LogLine(LogLevel::kInfo, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void LogWarning(fmt::format_string<Args...> format, Args&&... args) {
  if (LogEnabled(LogLevel::kWarning)) LogLine(LogLevel::kWarning, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void LogError(fmt::format_string<Args...> format, Args&&... args) {
  if (LogEnabled(LogLevel::kError)) LogLine(LogLevel::kError, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace weir

#endif  // WEIR_BASE_LOG_H_

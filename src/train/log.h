// Log messages about training. A program sets the lowest level (tf.logging.set_verbosity); messages of the runtime are
// not affected. If WEIR_LOG is set, it takes precedence. Thread-safe.
#pragma once

#include <optional>

#include "base/log.h"

namespace weir {

// nullopt disables all messages.
void SetTrainLogLevel(std::optional<LogLevel> from);
bool TrainLogEnabled(LogLevel level);

template <class... Args>
void TrainInfo(fmt::format_string<Args...> format, Args&&... args) {
  if (TrainLogEnabled(LogLevel::kInfo)) LogLine(LogLevel::kInfo, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void TrainWarning(fmt::format_string<Args...> format, Args&&... args) {
  if (TrainLogEnabled(LogLevel::kWarning))
    LogLine(LogLevel::kWarning, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void TrainError(fmt::format_string<Args...> format, Args&&... args) {
  if (TrainLogEnabled(LogLevel::kError)) LogLine(LogLevel::kError, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace weir

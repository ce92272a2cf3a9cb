// Lines about training, for people. A program says from which level on it wants them (tf.logging.set_verbosity); those
// of the runtime are left alone. Where WEIR_LOG is set, that alone counts. Safe from any thread.
#pragma once

#include <optional>

#include "base/log.h"

namespace weir {

// Nothing: none at all.
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

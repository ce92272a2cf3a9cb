#include "train/log.h"

#include <atomic>

#include "base/log_environment.h"

namespace weir {
namespace {

constexpr int kNone = static_cast<int>(LogLevel::kError) + 1;
std::atomic<int> lowest{static_cast<int>(LogLevel::kInfo)};

}  // namespace

void SetTrainLogLevel(std::optional<LogLevel> from) { lowest = from ? static_cast<int>(*from) : kNone; }

bool TrainLogEnabled(LogLevel level) {
  static const bool by_environment = LogLevelIsFromEnvironment();
  return LogEnabled(level) && (by_environment || static_cast<int>(level) >= lowest.load(std::memory_order_relaxed));
}

}  // namespace weir

#include "base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <memory>
#include <optional>

#include "base/live_line.h"
#include "base/log_environment.h"

namespace weir {
namespace {

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

// Never destroyed: threads may log while the process exits.
spdlog::logger& Logger() {
  static spdlog::logger* const logger = [] {
    auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(spdlog::color_mode::automatic);
    auto* made = new spdlog::logger("weir", std::move(sink));
    made->set_pattern("%Y-%m-%d %H:%M:%S.%f %^%L%$ %v");
    made->set_level(spdlog::level::trace);
    made->flush_on(spdlog::level::trace);
    return made;
  }();
  return *logger;
}

std::optional<spdlog::level::level_enum> LevelFromName(std::string_view name) {
  if (name == "debug") return spdlog::level::debug;
  if (name == "info") return spdlog::level::info;
  if (name == "warning") return spdlog::level::warn;
  if (name == "error") return spdlog::level::err;
  if (name == "off") return spdlog::level::off;
  return std::nullopt;
}

// Warns if the value of the variable is not a level.
std::optional<spdlog::level::level_enum> LevelFromWeirLog() {
  static const std::optional<spdlog::level::level_enum> level = []() -> std::optional<spdlog::level::level_enum> {
    const char* name = std::getenv("WEIR_LOG");
    if (name == nullptr || *name == '\0') return std::nullopt;
    const std::optional<spdlog::level::level_enum> named = LevelFromName(name);
    if (!named) Logger().warn("WEIR_LOG is '{}', which is ignored; use debug, info, warning, error or off", name);
    return named;
  }();
  return level;
}

spdlog::level::level_enum LevelFromEnvironment() {
  if (const std::optional<spdlog::level::level_enum> own = LevelFromWeirLog()) return *own;
  const char* tensorflow = std::getenv("TF_CPP_MIN_LOG_LEVEL");
  if (tensorflow != nullptr && tensorflow[0] >= '0' && tensorflow[0] <= '9' && tensorflow[1] == '\0') {
    switch (tensorflow[0]) {
      case '0':
        return spdlog::level::info;
      case '1':
        return spdlog::level::warn;
      case '2':
        return spdlog::level::err;
      default:
        return spdlog::level::off;
    }
  }
  return spdlog::level::info;
}

spdlog::level::level_enum MinimumLevel() {
  static const spdlog::level::level_enum level = LevelFromEnvironment();
  return level;
}

}  // namespace

bool LogLevelIsFromEnvironment() { return LevelFromWeirLog().has_value(); }

bool LogEnabled(LogLevel level) { return ToSpdlog(level) >= MinimumLevel(); }

void LogLine(LogLevel level, std::string_view message) {
  if (!LogEnabled(level)) return;
  LiveLine& live = LiveLine::OfProcess();
  live.Hide();
  Logger().log(ToSpdlog(level), "{}", message);
  live.Show();
}

}  // namespace weir

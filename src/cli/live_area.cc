#include "cli/live_area.h"

#include <sys/ioctl.h>

#include <algorithm>

#include "base/live_line.h"

namespace weir::cli {

namespace {

size_t TerminalRows(int fd) {
  struct winsize size = {};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : 24;
}

}  // namespace

void LiveArea::Set(int task, Line line) {
  lines_[task] = std::move(line);
  stale_ = true;
}

void LiveArea::Remove(int task) {
  if (lines_.erase(task) == 0) return;
  Erase();
}

void LiveArea::Erase() {
  if (drawn_) out_.Add("\r\x1b[J");
  drawn_ = false;
  stale_ = !lines_.empty();
}

void LiveArea::Draw(Time now) {
  const int columns = TerminalColumns(out_.fd()) - 1;
  // Keep one row for the output that scrolls above.
  const size_t most = std::max<size_t>(TerminalRows(out_.fd()), 2) - 1;
  std::string text;
  size_t rows = 0;
  for (const auto& [task, line] : lines_) {
    if (rows == most) break;
    text += rows++ == 0 ? "\r" : "\r\n";
    if (line.prefix_columns < columns) text += line.prefix + FitColumns(line.text, columns - line.prefix_columns);
    text += "\x1b[K";
  }
  text += "\x1b[J\r";
  if (rows > 1) text += fmt::format("\x1b[{}A", rows - 1);
  out_.Add(text);
  drawn_ = rows > 0;
  stale_ = false;
  next_ = now + std::chrono::nanoseconds(kLiveLineNanos);
}

}  // namespace weir::cli

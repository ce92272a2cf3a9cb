#include "base/live_line.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace weir {
namespace {

void WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // best effort: the next update replaces this one
    text.remove_prefix(static_cast<size_t>(written));
  }
}

// The pipe that the environment variable names, or -1. Child processes inherit the variable but not the descriptor
// (FD_CLOEXEC), whose number may be reused: the inode tells whether it is still the same pipe.
int ReportPipe() {
  const char* named = std::getenv(LiveLine::kVariable);
  int fd = -1;
  unsigned long long inode = 0;
  if (named == nullptr || std::sscanf(named, "%d:%llu", &fd, &inode) != 2 || fd <= 2) return -1;
  struct stat found;
  if (fstat(fd, &found) != 0 || !S_ISFIFO(found.st_mode) || found.st_ino != inode) return -1;
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  return fd;
}

}  // namespace

LiveLine& LiveLine::OfProcess() {
  // Never destroyed: threads may log while the process exits.
  static LiveLine* const line = [] {
    if (const int pipe = ReportPipe(); pipe >= 0) return new LiveLine(pipe, Kind::kReports);
    return new LiveLine(STDERR_FILENO, IsFullTerminal(STDERR_FILENO) ? Kind::kTerminal : Kind::kNone);
  }();
  return *line;
}

bool LiveLine::Begin() {
  std::lock_guard<std::mutex> lock(mu_);
  if (kind_ == Kind::kNone || begun_) return false;
  begun_ = true;
  return true;
}

void LiveLine::Set(std::string_view text) {
  std::lock_guard<std::mutex> lock(mu_);
  if (!begun_) return;
  text_ = text;
  const int64_t now = clock_.MonotonicNanos();
  if (now < next_nanos_) return;
  next_nanos_ = now + kLiveLineNanos;
  Draw();
}

void LiveLine::End() {
  std::lock_guard<std::mutex> lock(mu_);
  if (!begun_) return;
  Draw();
  if (kind_ == Kind::kReports || drawn_) WriteAll(fd_, "\n");
  begun_ = drawn_ = false;
  text_.clear();
  next_nanos_ = 0;
}

void LiveLine::Hide() {
  if (kind_ != Kind::kTerminal) return;
  std::lock_guard<std::mutex> lock(mu_);
  ++hidden_;
  Erase();
}

void LiveLine::Show(bool at_line_start) {
  if (kind_ != Kind::kTerminal) return;
  std::lock_guard<std::mutex> lock(mu_);
  --hidden_;
  mid_line_ = !at_line_start;
  Draw();
}

void LiveLine::Draw() {
  if (text_.empty() || hidden_ > 0 || mid_line_) return;
  if (kind_ == Kind::kReports) {
    // At most PIPE_BUF bytes, so that the write is atomic.
    WriteAll(fd_, FitColumns(text_, PIPE_BUF / 8) + "\n");
    return;
  }
  // Leave the cursor at the start, so that other output overwrites the line instead of being appended to it.
  WriteAll(fd_, "\r" + FitColumns(text_, TerminalColumns(fd_) - 1) + "\x1b[K\r");
  drawn_ = true;
}

void LiveLine::Erase() {
  if (drawn_) WriteAll(fd_, "\r\x1b[K");
  drawn_ = false;
}

std::string FitColumns(std::string_view text, int columns) {
  std::string fitting;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_continuation = (byte & 0xc0) == 0x80;  // UTF-8 continuation byte
    if (!is_continuation && columns-- <= 0) break;
    fitting += byte < 0x20 || byte == 0x7f ? ' ' : c;
  }
  return fitting;
}

int TerminalColumns(int fd) {
  struct winsize size = {};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

bool IsFullTerminal(int fd) {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return isatty(fd) != 0 && (no_colour == nullptr || *no_colour == '\0') &&
         (terminal == nullptr || std::strcmp(terminal, "dumb") != 0);
}

}  // namespace weir

#include "cli/prefixed_output.h"

#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "base/live_line.h"

namespace weir::cli {

namespace {

constexpr size_t kLongestLine = 64 << 10;
// ANSI colour codes: five dark ones, without red (which suggests an error), then the bright ones.
constexpr int kColours[] = {36, 33, 32, 35, 34, 96, 93, 92, 95, 94};

}  // namespace

Status OutputQueue::WriteSome() {
  // A pipe that polls as writable has room for PIPE_BUF bytes.
  const size_t count = std::min<size_t>(size(), PIPE_BUF);
  const ssize_t written = write(fd_, text_.data() + written_, count);
  if (written < 0) {
    const int error = errno;
    if (error == EAGAIN || error == EINTR) return OkStatus();
    Discard();
    return Unavailable("cannot write: {}", std::strerror(error));
  }
  written_ += static_cast<size_t>(written);
  if (written_ == text_.size() || written_ > (1 << 20)) {
    text_.erase(0, written_);
    written_ = 0;
  }
  return OkStatus();
}

void OutputQueue::Discard() {
  is_discarded_ = true;
  text_.clear();
  written_ = 0;
}

bool OutputQueue::wants_colour() const { return IsFullTerminal(fd_); }

void LinePrefixer::Add(std::string_view text, OutputQueue& out) {
  while (!text.empty()) {
    const size_t room = kLongestLine - partial_.size();
    const size_t end = text.substr(0, room).find('\n');
    partial_ += text.substr(0, std::min(end, room));
    text.remove_prefix(end == std::string_view::npos ? std::min(room, text.size()) : end + 1);
    if (end == std::string_view::npos && partial_.size() < kLongestLine) return;
    out.Add(prefix_);
    out.Add(partial_);
    out.Add("\n");
    partial_.clear();
  }
}

void LinePrefixer::Finish(OutputQueue& out) {
  if (!partial_.empty()) Add("\n", out);
}

std::string TaskPrefix(std::string_view task, int colour, bool in_colour) {
  if (!in_colour) return fmt::format("[{}] ", task);
  return fmt::format("\x1b[{}m[{}]\x1b[0m ", kColours[static_cast<size_t>(colour) % std::size(kColours)], task);
}

}  // namespace weir::cli

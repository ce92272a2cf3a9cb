// LiveLine: a status line at the bottom of a terminal that is rewritten in place. Other output appears above it.
// Disabled if standard error is not a terminal. In tasks of `weir up` the text goes to a pipe and `weir up` draws it.
// When the line ends, its last text remains as an ordinary line. Thread-safe.
#ifndef WEIR_BASE_LIVE_LINE_H_
#define WEIR_BASE_LIVE_LINE_H_

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace weir {

class LiveLine final {
 public:
  enum class Kind { kNone, kTerminal, kReports };
  // The LiveLine of this process: kReports if the environment variable kVariable names a pipe, else kTerminal if
  // standard error is a capable terminal (see IsFullTerminal), else kNone.
  static LiveLine& OfProcess();
  static constexpr char kVariable[] = "WEIR_LIVE_LINE";  // "DESCRIPTOR:INODE"
  LiveLine(int fd, Kind kind, Clock& clock = RealClock()) : fd_(fd), kind_(kind), clock_(clock) {}
  LiveLine(const LiveLine&) = delete;

  Kind kind() const { return kind_; }
  // Claims the line. False if the kind is kNone or the line is claimed already. After success the caller must call End.
  bool Begin();
  // Sets the text. Redraws at most ten times a second; End draws the last text.
  void Set(std::string_view text);
  void End();  // no-op without Begin

  // Call Hide before writing anything else to the terminal and Show after it. `at_line_start`: whether that output left
  // the cursor at the start of a line. Pairs may nest.
  void Hide();
  void Show(bool at_line_start = true);

 private:
  void Draw();   // REQUIRES: mu_ is held
  void Erase();  // REQUIRES: mu_ is held

  const int fd_;
  const Kind kind_;
  Clock& clock_;
  std::mutex mu_;
  std::string text_;
  bool begun_ = false;
  bool drawn_ = false;
  bool mid_line_ = false;  // other output ended in the middle of a line
  int hidden_ = 0;
  int64_t next_nanos_ = 0;
};

// The minimum time between two redraws.
inline constexpr int64_t kLiveLineNanos = 100'000'000;
// The prefix of `text` that fits into `columns`, with control characters replaced by spaces.
std::string FitColumns(std::string_view text, int columns);
// The width of the terminal, or 80 if unknown.
int TerminalColumns(int fd);
// Whether `fd` is a terminal that supports colours and rewriting: not TERM=dumb, and NO_COLOR is not set.
bool IsFullTerminal(int fd);

}  // namespace weir

#endif  // WEIR_BASE_LIVE_LINE_H_

// LiveLine: the last line of a terminal, rewritten in place, with whatever else the process writes above it. Where
// standard error is no terminal it is nothing; below `weir up` it goes to a pipe, whose reader draws it.
// Thread-safe. Nothing is left of it but its last text, as a line of its own.
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
  // The one of this process: on standard error where that is a terminal that can do it (TERM, NO_COLOR), or reports
  // where the variable kVariable of the environment names a pipe.
  static LiveLine& OfProcess();
  static constexpr char kVariable[] = "WEIR_LIVE_LINE";  // "DESCRIPTOR:INODE"
  LiveLine(int fd, Kind kind, Clock& clock = RealClock()) : fd_(fd), kind_(kind), clock_(clock) {}
  LiveLine(const LiveLine&) = delete;

  Kind kind() const { return kind_; }
  // False where there is nothing to write on, or another writes it. Who has begun must end.
  bool Begin();
  // Shown at most ten times a second; of what comes in between the last counts.
  void Set(std::string_view text);
  void End();  // without Begin: nothing

  // Around what else is written to the terminal. `at_line_start`: where that leaves the cursor. Hides may nest.
  void Hide();
  void Show(bool at_line_start = true);

 private:
  void Draw();   // with mu_
  void Erase();  // with mu_

  const int fd_;
  const Kind kind_;
  Clock& clock_;
  std::mutex mu_;
  std::string text_;
  bool begun_ = false;
  bool drawn_ = false;
  bool mid_line_ = false;  // others have written a line that is not whole
  int hidden_ = 0;
  int64_t next_nanos_ = 0;
};

// The time between two looks of a live line.
inline constexpr int64_t kLiveLineNanos = 100'000'000;
// What fits into so many columns, without what would move the cursor.
std::string FitColumns(std::string_view text, int columns);
// The columns of the terminal, 80 where it does not say.
int TerminalColumns(int fd);
// Whether there is a terminal behind it in which text can be coloured and rewritten, and nobody has said no.
bool IsFullTerminal(int fd);

}  // namespace weir

#endif  // WEIR_BASE_LIVE_LINE_H_

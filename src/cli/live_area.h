// LiveArea: the last rows of a terminal, one line per task, redrawn in place while other output scrolls above them.
// Invariant: call Erase before adding to the queue. The cursor stays at the start of the area.
#ifndef WEIR_CLI_LIVE_AREA_H_
#define WEIR_CLI_LIVE_AREA_H_

#include <chrono>
#include <map>
#include <string>
#include <string_view>

#include "cli/prefixed_output.h"

namespace weir::cli {

class LiveArea final {
 public:
  using Time = std::chrono::steady_clock::time_point;
  explicit LiveArea(OutputQueue& out) : out_(out) {}
  LiveArea(const LiveArea&) = delete;

  struct Line {
    std::string prefix;  // including colour codes
    int prefix_columns = 0;
    std::string text = {};
  };
  void Set(int task, Line line);
  void Remove(int task);
  void Erase();
  // stale: whether the terminal does not show the current lines. next: the earliest time of the next redraw.
  bool stale() const { return stale_; }
  Time next() const { return next_; }
  // REQUIRES: the queue's text ends with a complete line.
  void Draw(Time now);

 private:
  OutputQueue& out_;
  std::map<int, Line> lines_;
  bool drawn_ = false;
  bool stale_ = false;
  Time next_ = {};
};

}  // namespace weir::cli

#endif  // WEIR_CLI_LIVE_AREA_H_

// LiveArea: the last lines of a terminal, one for each task that has something to say, rewritten in place while other
// output scrolls above them. Invariant: whoever adds to the queue has called Erase before; the cursor waits at the
// beginning of the area.
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
    std::string prefix;  // with its colours
    int prefix_columns = 0;
    std::string text = {};
  };
  void Set(int task, Line line);
  void Remove(int task);
  void Erase();
  // Whether something is to be drawn that is not on the terminal, and from when on it may be.
  bool stale() const { return stale_; }
  Time next() const { return next_; }
  // REQUIRES: what the queue holds ends with whole lines.
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

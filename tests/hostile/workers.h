// Workers: runs hostile cases in child processes that have a limit on memory and a deadline per case. A child that
// crashes or hangs costs one case: the next child goes on after it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace weir::hostile {

struct CaseRange {
  int64_t first = 0;
  int64_t count = 0;
  int jobs = 1;
  int seconds = 0;            // 0: no limit; cases that have not begun by then are left out
  int deadline_seconds = 20;  // per case
};

struct Summary {
  int64_t cases = 0;
  int64_t crashes = 0;
  int64_t hangs = 0;
  int64_t refused = 0;  // ended by the address sanitizer's limit on one allocation, which a release build survives
};

// `run` runs one case in a child. `report` tells of each crash and hang, with the output of the child.
Summary RunInChildren(
    const CaseRange& range, const std::function<void(int64_t number)>& run,
    const std::function<void(int64_t number, const std::string& what, const std::string& output)>& report);

}  // namespace weir::hostile

// Runs hostile cases in child processes with a memory limit and a deadline per case. After a crash or hang, a new child
// continues with the next case.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace weir::hostile {

struct CaseRange {
  int64_t first = 0;
  int64_t count = 0;
  int jobs = 1;
  int seconds = 0;            // time limit for the whole run, after which the remaining cases are dropped; 0: none
  int deadline_seconds = 20;  // per case
};

struct Summary {
  int64_t cases = 0;
  int64_t crashes = 0;
  int64_t hangs = 0;
  int64_t refused = 0;  // killed by the allocation limit of the address sanitizer; not a failure in a release build
};

// `run` runs one case, in a child. `report` is called for each crash and hang, with the output of the child.
Summary RunInChildren(
    const CaseRange& range, const std::function<void(int64_t number)>& run,
    const std::function<void(int64_t number, const std::string& what, const std::string& output)>& report);

}  // namespace weir::hostile

// PassReport: what the passes did to one plan graph, for people. Filled by the passes, written to standard error for
// every plan where WEIR_EXPLAIN is set. A value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weir {

struct PlanGraph;

struct PassReport {
  std::string part_of;  // the task, where it is only its part of a plan
  int64_t nodes_before = 0;
  int64_t nodes_after = 0;
  int64_t merged = 0;   // that compute what another one computes
  int64_t skipped = 0;  // that were only waited for
  int64_t folded = 0;   // whose value is a constant
  int64_t ordered = 0;  // that wait for uses of a variable, or for its updates, by the order of the step alone
  int64_t copied = 0;   // values that are copied because no update may wait for those who use them
  // Nodes that run as one now: `kind` says as what, `end` is the node whose name it has, `ops` are its parts in the
  // order in which they run.
  struct Fusion {
    std::string kind;
    std::string end;
    std::vector<std::string> ops;
  };
  std::vector<Fusion> fused;

  // Several lines, the first of which says what the plan is for.
  std::string ToString(const PlanGraph& graph) const;
};

// True where WEIR_EXPLAIN is set, and not to 0.
bool ExplainAsked();
// "plan for y:0 and train", "part of /job:ps/replica:0/task:0 for y:0"
std::string TitleOf(const PlanGraph& graph, const std::string& part_of);
// Writes lines on standard error, in one piece.
void Explain(const std::string& lines);

}  // namespace weir

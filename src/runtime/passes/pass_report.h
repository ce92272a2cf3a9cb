// PassReport: describes for users what the passes did to a plan graph. The passes fill it. With WEIR_EXPLAIN it is
// printed to standard error for every plan. A value type.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weir {

struct PlanGraph;

struct PassReport {
  std::string part_of;  // the task, if the graph is only its part of a plan
  int64_t nodes_before = 0;
  int64_t nodes_after = 0;
  int64_t merged = 0;   // nodes that compute the same as another node
  int64_t skipped = 0;  // nodes that had only control outputs
  int64_t folded = 0;   // nodes replaced by constants
  int64_t ordered = 0;  // nodes with added control edges that order uses and updates of variables
  int64_t copied = 0;   // values that are copied, because an update must not wait for their uses
  // Nodes that run as one: `kind` is the kind of the new node, `end` its name, `ops` the ops of its parts in the order
  // in which they run.
  struct Fusion {
    std::string kind;
    std::string end;
    std::vector<std::string> ops;
  };
  std::vector<Fusion> fused;

  // Several lines. The first one is the title (TitleOf).
  std::string ToString(const PlanGraph& graph) const;
};

// Whether the environment variable WEIR_EXPLAIN is set, and not to "0".
bool ExplainRequested();
// "plan for y:0 and train", "part of /job:ps/replica:0/task:0 for y:0"
std::string TitleOf(const PlanGraph& graph, const std::string& part_of);
// Writes the lines to standard error with one call.
void Explain(const std::string& lines);

}  // namespace weir

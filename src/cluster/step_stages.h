// Stages: the parts of other tasks, cut so that each runs with one call. The inputs of a stage come with the call, and
// what others need of it with the response. A step that pulls parameters and pushes gradients takes two calls to each
// parameter server, however many values there are. On the wire a stage is a graph like any other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "runtime/partition.h"

namespace weir {

struct Stage {
  Partition part;                  // its edges to other stages and tasks are client_terminated
  int after = -1;                  // index of a stage of the same task that must end before; -1: none
  std::vector<std::string> takes;  // keys of inputs that come with the call, from the own task or other stages
  std::vector<std::string> gives;  // keys of outputs that others wait for
};

// Cuts all parts but that of `own_task`, which stays as it is. Returns nothing if that would not save calls, if a value
// is too large or of unknown size (according to the session's `graph`) to travel with a call, or if a node would wait
// for something (such as a queue) that it does not wait for without stages. REQUIRES: no conditionals and no loops.
std::optional<std::vector<Stage>> CutIntoStages(const std::string& own_task, const Graph& graph,
                                                const std::vector<Partition>& parts);

}  // namespace weir

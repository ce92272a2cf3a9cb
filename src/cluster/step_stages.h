// Stages: the parts of other tasks, cut so that each runs with one call. What a stage takes from others comes with the
// call, and what others take from it with the answer: a step that pulls parameters and pushes gradients is two calls to
// each parameter server, however many values there are. On the wire a stage is a graph like any other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "runtime/partition.h"

namespace weir {

struct Stage {
  Partition part;                  // what others take, or give, is client_terminated
  int after = -1;                  // the number of a stage of the same task that must have ended before
  std::vector<std::string> takes;  // keys of what has to come with the call, from the own task or other stages
  std::vector<std::string> gives;  // keys of what others wait for
};

// Of all parts but that of `own_task`, which stays as it is. Nothing, where calls would not be fewer, where something
// is too large or of unknown size (by the session's `graph`) to travel with a call, and where a node would wait for
// something (a queue, say) that it does not wait for as the graph has it. REQUIRES: no conditions and no loops.
std::optional<std::vector<Stage>> CutIntoStages(const std::string& own_task, const Graph& graph,
                                                const std::vector<Partition>& parts);

}  // namespace weir

// Stages: the parts of other tasks, cut so that each runs with one call. The inputs of a stage are sent with the call,
// and its outputs with the response. A step that pulls parameters and pushes gradients makes two calls to each
// parameter server, for any number of values. On the wire a stage is a graph like any other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "runtime/partition.h"

namespace weir {

struct Stage {
  Partition part;  // its edges to other stages and tasks are client_terminated
  int after = -1;  // index of a stage of the same task that must end before; -1: none
  std::vector<std::string>
      inputs;  // keys of inputs that are sent with the call, from the master's task or other stages
  std::vector<std::string> outputs;  // keys of outputs that other parts wait for
};

// Cuts all parts except the part of `own_task`, which it does not change. Returns nullopt if stages would not save
// calls, if a value is too large to be sent with a call or has an unknown size (according to the session's `graph`), or
// if a node would wait for something (such as a queue) that it does not wait for without stages. REQUIRES: no
// conditionals and no loops.
std::optional<std::vector<Stage>> CutIntoStages(const std::string& own_task, const Graph& graph,
                                                const std::vector<Partition>& parts);

}  // namespace weir

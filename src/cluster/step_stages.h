// Stages: the parts of other tasks, cut so that each runs with one call. The inputs of a stage are sent with the call,
// and its outputs with the response. A step that pulls parameters and pushes gradients makes two calls to each
// parameter server, for any number of values. On the wire a stage is a graph like any other.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "runtime/partition.h"

namespace weir {

// A part that is not cut is one stage without inputs and outputs: its values are requested (RecvTensor).
struct Stage {
  Partition part;  // edges whose values come with the call or the response are client_terminated
  int after = -1;  // index of a stage of the same task that must end before; -1: none
  std::vector<std::string>
      inputs;  // keys of inputs that are sent with the call, from the master's task or other stages
  std::vector<std::string> outputs;  // keys of outputs that are sent with the response
};

// Moves all parts except the part of `own_task` out of `parts`. Cuts those of the tasks in `may_cut` into stages,
// unless that would save no calls, an input cannot be sent with a call (too large, of unknown size according to the
// session's `graph`, or from a part that is not cut), or a node would wait for something (such as a queue) that it does
// not wait for without stages. Outputs that cannot be sent with a response stay as they are. REQUIRES: `may_cut` is
// empty if there are conditionals or loops.
std::vector<Stage> CutIntoStages(const std::string& own_task, const Graph& graph, const std::set<std::string>& may_cut,
                                 std::vector<Partition>& parts);

}  // namespace weir

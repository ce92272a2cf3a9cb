// The global step: an integer that counts the steps of training, in a variable that the graph's collection names.
#pragma once

#include <string>

#include "graph/graph.h"
#include "session/session.h"

namespace weir {

struct GlobalStep {
  Output value;      // invalid: there is none
  std::string name;  // of the variable, or of the node that gives the value
  bool in_collection = false;
};
// That of the collection "global_step", else the tensor "global_step:0". Of several in the collection none, which the
// log says, or the first. A TypeError for what is no integer or no scalar.
enum class OfSeveral { kNone, kFirst };
Result<GlobalStep> FindGlobalStep(Graph& graph, OfSeveral several = OfSeveral::kNone);

// A copy of the step for hooks to fetch along with a run: the value from before the updates of that run. One node per
// graph, made by the first call. FindGlobalStep's errors; invalid where there is no step.
Result<GlobalStep> FindGlobalStepRead(Graph& graph);

// The value in a session, by a step of its own. A step that a caller gives may be a float, and is truncated.
Result<int64_t> ReadGlobalStep(Session& session, Output global_step, CancelToken* cancel = nullptr);
// A fetched one. REQUIRES: of a tensor that FindGlobalStep could give.
int64_t GlobalStepOf(const Tensor& value);

}  // namespace weir

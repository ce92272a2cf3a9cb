// The global step: an integer variable that counts training steps, found through the graph's collection.
#pragma once

#include <string>

#include "weir/graph/graph.h"
#include "weir/session/session.h"

namespace weir {

struct GlobalStep {
  Output value;      // invalid if there is none
  std::string name;  // name of the variable, or of the node that computes the value
  bool in_collection = false;
};
// The item of the collection "global_step", else the tensor "global_step:0". If the collection has several items: none
// (logged as an error) or the first. An error with IsTypeError if it is not an integer scalar.
enum class OfSeveral { kNone, kFirst };
Result<GlobalStep> FindGlobalStep(Graph& graph, OfSeveral several = OfSeveral::kNone);

// A copy of the step for hooks to fetch with a run: the value before the updates of that run. One node per graph,
// created by the first call. Errors as for FindGlobalStep; invalid if there is no step.
Result<GlobalStep> FindGlobalStepRead(Graph& graph);

// Reads the value from a session in a separate step. A step tensor given by the caller may be a float, which is
// truncated.
Result<int64_t> ReadGlobalStep(Session& session, Output global_step, CancelToken* cancel = nullptr);
// The value of a fetched step. REQUIRES: `value` was fetched from a result of FindGlobalStep.
int64_t GlobalStepOf(const Tensor& value);

}  // namespace weir

// The global step: an integer that counts the steps of training, in a variable that the graph's collection names.
#pragma once

#include "graph/graph.h"
#include "session/session.h"

namespace weir {

// Its value: that of the collection "global_step", else of the variable of that name; an invalid output where there is
// neither. InvalidArgument where the collection holds several, or something that is no integer scalar.
Result<Output> FindGlobalStep(Graph& graph);

// The value in a session, by a step of its own.
Result<int64_t> ReadGlobalStep(Session& session, Output global_step, CancelToken* cancel = nullptr);
// A fetched one. REQUIRES: an integer.
int64_t GlobalStepOf(const Tensor& value);

}  // namespace weir

// The global step: an integer that counts the steps of training, in a variable that the graph's collection names.
#pragma once

#include <string>

#include "graph/graph.h"
#include "session/session.h"

namespace weir {

struct GlobalStep {
  Output value;      // invalid: there is none
  std::string name;  // of the variable, or of the node that gives the value
};
// That of the collection "global_step", else the variable of that name. InvalidArgument where the collection holds
// several, or something that is no integer scalar.
Result<GlobalStep> FindGlobalStep(Graph& graph);

// The value in a session, by a step of its own.
Result<int64_t> ReadGlobalStep(Session& session, Output global_step, CancelToken* cancel = nullptr);
// A fetched one. REQUIRES: an integer.
int64_t GlobalStepOf(const Tensor& value);

}  // namespace weir

// Freezing: a trained graph with constants instead of variables, for inference.
#pragma once

#include <string>
#include <vector>

#include "weir/graph/graph.h"
#include "weir/proto/messages.h"
#include "weir/session/session.h"

namespace weir {

// Extracts the part of `def` that `outputs` depend on, and replaces variables with the current values of the variables
// of the same names in a session of `graph`. `def` may describe `graph` itself or another graph with the same
// variables. NotFound if an output or a variable does not exist.
Result<tensorflow::GraphDef> FreezeGraph(Session& session, const Graph& graph, const tensorflow::GraphDef& def,
                                         const std::vector<std::string>& outputs);

}  // namespace weir

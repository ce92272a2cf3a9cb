// A trained graph without variables: what a program needs that only uses it.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"
#include "proto/graph.pb.h"
#include "session/session.h"

namespace weir {

// The part of `def` that the nodes `outputs` need, with constants in the place of variables: the values that variables
// of the same names have now in a session of `graph`. The def may be that graph's own, or that of a graph which has the
// same variables for another purpose. NotFound for an output or a variable that is not there.
Result<tensorflow::GraphDef> FreezeGraph(Session& session, const Graph& graph, const tensorflow::GraphDef& def,
                                         const std::vector<std::string>& outputs);

}  // namespace weir

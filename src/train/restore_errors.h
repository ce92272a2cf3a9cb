// Explains why a checkpoint cannot be restored and what to do about it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/env.h"
#include "graph/graph.h"
#include "proto/saver.pb.h"

namespace weir {

// The right argument if `path` is not a checkpoint prefix but a directory or a file of one. Empty if there is no
// advice.
std::string AdviceOnPath(Env& env, const std::string& path);

// The variables whose shapes differ from the checkpoint: "variable 'w' has shape [3], but 'w' in PATH has shape [2]".
// Best effort: limited to the nodes below the saver's restore node, and to files readable by this process.
std::vector<std::string> ShapeMismatches(Graph& graph, Env& env, const tensorflow::SaverDef& def,
                                         const std::string& path);

}  // namespace weir

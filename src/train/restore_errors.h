// What is wrong where a checkpoint cannot be restored, in words that say what to do about it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/env.h"
#include "graph/graph.h"
#include "proto/saver.pb.h"

namespace weir {

// What to pass instead of a path that is none of a checkpoint but leads to one: a directory, a file of a checkpoint.
// Empty where there is nothing to say.
std::string AdviceOnPath(Env& env, const std::string& path);

// The variables whose shapes differ from those in the checkpoint: "variable 'w' has shape [3], but 'w' in PATH has
// shape [2]". As far as the nodes below the saver's restore node show it, and the file can be read here.
std::vector<std::string> ShapeMismatches(Graph& graph, Env& env, const tensorflow::SaverDef& def,
                                         const std::string& path);

}  // namespace weir

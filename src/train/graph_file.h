// The graph as a file beside its checkpoints, for people and tools to look at.
#pragma once

#include <functional>
#include <string>

#include "base/env.h"
#include "base/status.h"
#include "proto/graph.pb.h"

namespace weir {

// The text form of a graph.
using GraphText = std::function<Result<std::string>(const tensorflow::GraphDef&)>;

// graph.pbtxt in the directory, which is made; without `text` the graph is graph.pb there.
Status WriteGraphFile(Env& env, const std::string& directory, const tensorflow::GraphDef& def, const GraphText& text);

}  // namespace weir

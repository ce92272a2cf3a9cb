// Writes the graph to a file beside its checkpoints, for people and tools.
#pragma once

#include <functional>
#include <string>

#include "weir/base/env.h"
#include "weir/base/status.h"
#include "weir/proto/messages.h"

namespace weir {

// Converts a graph to text.
using GraphText = std::function<Result<std::string>(const tensorflow::GraphDef&)>;

// Writes graph.pbtxt, or graph.pb if `text` is empty. Creates the directory.
Status WriteGraphFile(Env& env, const std::string& directory, const tensorflow::GraphDef& def, const GraphText& text);

}  // namespace weir

// Graphs as bytes: serialized tensorflow.GraphDef messages, for files and other programs. These functions need no
// protobuf in the calling program. They throw weir::Error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weir/graph/graph_def.h"
#include "weir/session/session.h"

namespace weir {

std::string SerializeGraph(const Graph& graph, const ExportOptions& options = {});
// DataLoss if `bytes` is not a GraphDef.
ImportResult ImportSerializedGraph(Graph& graph, std::string_view bytes, const ImportOptions& options = {});
// The part of `graph` that `outputs` (names of nodes) depend on, with the variables as constants: their current values
// in `session`. `session` runs `of`, which is `graph` or another graph that has variables of the same names.
std::string SerializeFrozenGraph(const Graph& graph, Session& session, const Graph& of,
                                 const std::vector<std::string>& outputs);

}  // namespace weir

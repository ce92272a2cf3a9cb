#include "weir/graph_bytes.h"

#include "graph/graph_def.h"
#include "session/session.h"
#include "train/freeze_graph.h"
#include "weir/error.h"

namespace weir {

std::string SerializeGraph(const Graph& graph, const ExportOptions& options) {
  return ValueOrThrow(ExportGraphDef(graph, options)).SerializeAsString();
}

ImportResult ImportSerializedGraph(Graph& graph, std::string_view bytes, const ImportOptions& options) {
  tensorflow::GraphDef def;
  if (!def.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    throw Error(DataLoss("these {} bytes are not a tensorflow.GraphDef", bytes.size()));
  return ValueOrThrow(ImportGraphDef(graph, def, options));
}

std::string SerializeFrozenGraph(const Graph& graph, Session& session, const Graph& of,
                                 const std::vector<std::string>& outputs) {
  return ValueOrThrow(FreezeGraph(session, of, ValueOrThrow(ExportGraphDef(graph)), outputs)).SerializeAsString();
}

}  // namespace weir

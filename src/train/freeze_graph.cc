#include "train/freeze_graph.h"

#include <map>

#include "graph/subgraph.h"

namespace weir {

Result<tensorflow::GraphDef> FreezeGraph(Session& session, const Graph& graph, const tensorflow::GraphDef& def,
                                         const std::vector<std::string>& outputs) {
  WEIR_ASSIGN(const tensorflow::GraphDef part, ExtractSubgraph(def, outputs));
  const std::vector<VariableNode> variables = VariablesOf(graph.registry(), part);
  RunRequest request;
  for (const VariableNode& variable : variables) {
    WEIR_ASSIGN(const Output value, graph.FindOutput(variable.value));
    request.fetches.push_back(value);
  }
  std::map<std::string, Tensor> values;
  if (!variables.empty()) {
    WEIR_ASSIGN(const std::vector<Tensor> fetched, session.Run(request));
    for (size_t i = 0; i < variables.size(); ++i) values[variables[i].node] = fetched[i];
  }
  return VariablesToConstants(graph.registry(), part, values);
}

}  // namespace weir

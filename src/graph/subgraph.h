// Operations on parts of a GraphDef: extract a subgraph, turn variables into constants, remove training-only nodes.
// Works on the messages; nothing is checked against op schemas, and ops may be unknown.
#ifndef WEIR_GRAPH_SUBGRAPH_H_
#define WEIR_GRAPH_SUBGRAPH_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "op/op_registry.h"
#include "proto/graph.pb.h"
#include "tensor/tensor.h"

namespace weir {

// The nodes that `wanted` depend on through data and control edges, in the order of `def`. Functions and versions are
// kept.
Result<tensorflow::GraphDef> ExtractSubgraph(const tensorflow::GraphDef& def, const std::vector<std::string>& wanted);

// A variable of a def, and the name of the output that holds its value.
struct VariableNode {
  std::string node;
  std::string value;
};
std::vector<VariableNode> VariablesOf(const OpRegistry& registry, const tensorflow::GraphDef& def);
// Replaces every variable node named in `values` with a Const, and reads of resource variables among them with the
// value.
Result<tensorflow::GraphDef> VariablesToConstants(const OpRegistry& registry, const tensorflow::GraphDef& def,
                                                  const std::map<std::string, Tensor>& values);

// Removes CheckNumerics and Identity nodes, except those in `keep` and those with control edges.
tensorflow::GraphDef WithoutTrainingNodes(const tensorflow::GraphDef& def, const std::set<std::string>& keep);

}  // namespace weir

#endif  // WEIR_GRAPH_SUBGRAPH_H_

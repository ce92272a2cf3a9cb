// Parts of a GraphDef: what some nodes need, variables turned into constants, nodes that only training needs taken out.
// Defs are data here: nothing is checked against op schemas.
#ifndef WEIR_GRAPH_SUBGRAPH_H_
#define WEIR_GRAPH_SUBGRAPH_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "proto/graph.pb.h"
#include "tensor/tensor.h"

namespace weir {

// The nodes that `wanted` need, through values and control edges, in the order of `def`; functions and versions stay.
Result<tensorflow::GraphDef> ExtractSubgraph(const tensorflow::GraphDef& def, const std::vector<std::string>& wanted);

// A variable of a def, and the name of the output that gives its value.
struct VariableNode {
  std::string node;
  std::string value;
};
std::vector<VariableNode> VariablesOf(const tensorflow::GraphDef& def);
// Every variable node named in `values` becomes a Const, and reads of resource variables among them become what they
// read.
Result<tensorflow::GraphDef> VariablesToConstants(const tensorflow::GraphDef& def,
                                                  const std::map<std::string, Tensor>& values);

// Without CheckNumerics and Identity nodes, except those in `keep` and those that control edges begin or end at.
tensorflow::GraphDef WithoutTrainingNodes(const tensorflow::GraphDef& def, const std::set<std::string>& keep);

}  // namespace weir

#endif  // WEIR_GRAPH_SUBGRAPH_H_

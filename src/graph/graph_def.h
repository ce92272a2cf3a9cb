// GraphDef to Graph and back. What is read is checked node by node: unknown ops, missing inputs, wrong types and cycles
// outside of loops are errors that name the node.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"
#include "graph/input.h"
#include "proto/graph.pb.h"

namespace weir {

struct ExportOptions {
  int64_t from_version = 0;  // only nodes made after this version
  bool add_shapes = false;   // _output_shapes
};
Result<tensorflow::GraphDef> ExportGraphDef(const Graph& graph, const ExportOptions& options = {});
void ExportNodeDef(const Node& node, tensorflow::NodeDef* def);

struct ImportOptions {
  std::string prefix;  // a name scope for what is imported; made unique unless uniquify_prefix is false
  bool uniquify_prefix = true;
  std::map<std::string, Output> input_map;  // "a:0", "a" or "^a" of the def -> value of this graph
  std::vector<std::string> return_elements;  // names of nodes ("a") or outputs ("a:0")
  std::vector<Node*> control_inputs;  // on every imported node without inputs
  bool validate_colocation = true;
};
struct ImportResult {
  // One per return_elements: a node, or an output of one.
  struct Element {
    Node* node = nullptr;
    int output = -1;  // -1: the node itself
  };
  std::vector<Element> returned;
  std::vector<Node*> nodes;
  std::vector<std::string> unused_input_map_keys;
};
Result<ImportResult> ImportGraphDef(Graph& graph, const tensorflow::GraphDef& def, const ImportOptions& options = {});

}  // namespace weir

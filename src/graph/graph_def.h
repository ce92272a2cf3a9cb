// GraphDef to Graph and back. What is read is checked node by node: unknown ops, missing inputs,
// wrong types and cycles outside of loops are errors that name the node. A def that is refused
// leaves no node behind.
#ifndef WEIR_GRAPH_GRAPH_DEF_H_
#define WEIR_GRAPH_GRAPH_DEF_H_

#include <string>
#include <vector>

#include "graph/graph.h"
#include "op/cancel.h"
#include "proto/graph.pb.h"

namespace weir {

struct ExportOptions {
  int first_node = 0;       // only nodes with this id or a later one: num_nodes() of an earlier moment
  bool add_shapes = false;  // _output_shapes
  bool add_library = true;  // the functions of the graph
};
Result<tensorflow::GraphDef> ExportGraphDef(const Graph& graph, const ExportOptions& options = {});
// The device is the one that the placer chose, or else the one asked for.
void ExportNodeDef(const Node& node, tensorflow::NodeDef* def);

struct ImportOptions {
  // A name scope for what is imported: below the thread's current scope and made unique, or as it
  // stands when uniquify_prefix is false. Empty: names stay as they are.
  std::string prefix;
  bool uniquify_prefix = true;
  // A name that the graph has already gets a suffix ("a_1"); else it is an error.
  bool uniquify_names = false;
  // Inputs that the def does not have are nodes that the graph has already (a session's graph grows
  // this way).
  bool extend = false;
  std::map<std::string, Output> input_map;   // "a:0", "a" or "^a" of the def -> value of this graph
  std::vector<std::string> return_elements;  // names of nodes ("a") or outputs ("a:0")
  std::vector<Node*> control_inputs;         // on every imported node without imported inputs
  bool validate_colocation = true;
  const CancelToken* cancel = nullptr;  // ends the import with its reason; the graph stays as it was
};
struct ImportResult {
  // One per return_elements: a node, or an output of one.
  struct Element {
    Node* node = nullptr;
    int output = -1;  // -1: the node itself
  };
  std::vector<Element> returned;
  std::vector<Node*> nodes;  // one per node of the def, in its order
  // Keys that no node of the def has: likely a mistake of the caller.
  std::vector<std::string> unused_input_map_keys;
};
// Nodes come in any order; they are made in the def's order as far as their inputs allow. Device
// scopes, control dependencies and the flow context of the calling thread apply, its other scopes
// do not.
Result<ImportResult> ImportGraphDef(Graph& graph, const tensorflow::GraphDef& def, const ImportOptions& options = {});

// "a:1" -> ("a", 1), "a" -> ("a", 0), "^a" -> ("a", -1). Text after a colon that is no number
// belongs to the name.
struct InputName {
  std::string_view node;
  int output = 0;
  bool is_control() const { return output < 0; }
};
InputName ParseInputName(std::string_view text);

}  // namespace weir

#endif  // WEIR_GRAPH_GRAPH_DEF_H_

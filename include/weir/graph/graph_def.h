// Converts GraphDef to Graph and back. Import checks every node: unknown ops, missing inputs, wrong types and cycles
// outside of loops are errors that name the node. A failed import leaves no nodes in the graph.
#ifndef WEIR_GRAPH_GRAPH_DEF_H_
#define WEIR_GRAPH_GRAPH_DEF_H_

#include <string>
#include <vector>

#include "weir/graph/graph.h"
#include "weir/op/cancel.h"
#include "weir/proto/messages.h"

namespace weir {

struct ExportOptions {
  int first_node = 0;       // export only nodes with this id or a later one (a num_nodes() read earlier)
  bool add_shapes = false;  // _output_shapes
  bool add_library = true;  // the functions of the graph
};
Result<tensorflow::GraphDef> ExportGraphDef(const Graph& graph, const ExportOptions& options = {});
// Writes the assigned device, or else the requested one.
void ExportNodeDef(const Node& node, tensorflow::NodeDef* def);

struct ImportOptions {
  // A name scope for the imported nodes: below the thread's current scope and made unique, or exactly as given if
  // uniquify_prefix is false. If empty, names are not changed.
  std::string prefix;
  bool uniquify_prefix = true;
  // Adds a suffix to a name that is in use ("a_1"). Otherwise that is an error.
  bool uniquify_names = false;
  // Inputs missing from the def refer to existing nodes of the graph. Used to extend a session's graph.
  bool extend = false;
  std::map<std::string, Output> input_map;   // "a:0", "a" or "^a" of the def -> value of this graph
  std::vector<std::string> return_elements;  // names of nodes ("a") or outputs ("a:0")
  std::vector<Node*> control_inputs;         // added to every imported node without imported inputs
  bool validate_colocation = true;
  const CancelToken* cancel = nullptr;  // cancels the import with the token's reason; the graph is unchanged
};
struct ImportResult {
  // One per return_elements: a node, or an output of one.
  struct Element {
    Node* node = nullptr;
    int output = -1;  // -1: the node itself
  };
  std::vector<Element> returned;
  std::vector<Node*> nodes;  // one per node of the def, in its order
  // Keys that match no node of the def: probably a mistake of the caller.
  std::vector<std::string> unused_input_map_keys;
};
// Accepts nodes in any order, and creates them in the def's order as far as their inputs allow. The devices, control
// dependencies and flow context of the calling thread apply, but not its other scopes.
Result<ImportResult> ImportGraphDef(Graph& graph, const tensorflow::GraphDef& def, const ImportOptions& options = {});

// "a:1" -> ("a", 1), "a" -> ("a", 0), "^a" -> ("a", -1). A suffix after a colon that is not a number is part of the
// name.
struct InputName {
  std::string_view node;
  int output = 0;
  bool is_control() const { return output < 0; }
};
InputName ParseInputName(std::string_view text);

}  // namespace weir

#endif  // WEIR_GRAPH_GRAPH_DEF_H_

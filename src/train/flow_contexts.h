// The contexts of cond branches and while loops in meta graphs, in TensorFlow's collections "cond_context" and
// "while_context". Gradients through an imported loop need its context.
#ifndef WEIR_TRAIN_FLOW_CONTEXTS_H_
#define WEIR_TRAIN_FLOW_CONTEXTS_H_

#include <string>

#include "graph/graph.h"
#include "proto/meta_graph.pb.h"

namespace weir {

// Adds the contexts of the graph whose nodes `meta` has. `key` is one of the two collections. Like TensorFlow's, the
// collections have no loops that compute gradients.
void ExportFlowContexts(const Graph& graph, const std::string& key, tensorflow::MetaGraphDef* meta);

// Makes the contexts of a collection and moves the imported nodes, whose names begin with `scope`, into them. Leaves
// out contexts that do not fit the nodes: an old file may still have those of removed nodes.
void ImportFlowContexts(Graph& graph, const std::string& key, const tensorflow::CollectionDef& def,
                        const std::string& scope);

}  // namespace weir

#endif  // WEIR_TRAIN_FLOW_CONTEXTS_H_

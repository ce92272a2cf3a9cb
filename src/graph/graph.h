// Internal version of the public header: adds formatters and packed tensors.
#ifndef WEIR_GRAPH_FORMATTED_GRAPH_H_
#define WEIR_GRAPH_FORMATTED_GRAPH_H_

#include "op/op_registry.h"
#include "weir/graph/graph.h"

#endif  // WEIR_GRAPH_FORMATTED_GRAPH_H_

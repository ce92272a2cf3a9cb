// Internal version of the public header: adds the message.
#ifndef WEIR_GRAPH_GRAPH_DEF_MESSAGES_H_
#define WEIR_GRAPH_GRAPH_DEF_MESSAGES_H_

#include "graph/graph.h"
#include "proto/graph.pb.h"
#include "weir/graph/graph_def.h"

#endif  // WEIR_GRAPH_GRAPH_DEF_MESSAGES_H_

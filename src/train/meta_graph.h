// Internal version of the public header: adds the messages.
#ifndef WEIR_TRAIN_META_GRAPH_MESSAGES_H_
#define WEIR_TRAIN_META_GRAPH_MESSAGES_H_

#include "graph/graph.h"
#include "proto/collections.pb.h"
#include "proto/meta_graph.pb.h"
#include "weir/train/meta_graph.h"

#endif  // WEIR_TRAIN_META_GRAPH_MESSAGES_H_

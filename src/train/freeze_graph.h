// Internal version of the public header: adds the message.
#ifndef WEIR_TRAIN_FREEZE_GRAPH_MESSAGES_H_
#define WEIR_TRAIN_FREEZE_GRAPH_MESSAGES_H_

#include "graph/graph.h"
#include "proto/graph.pb.h"
#include "weir/train/freeze_graph.h"

#endif  // WEIR_TRAIN_FREEZE_GRAPH_MESSAGES_H_

// Internal version of the public header: adds the message.
#ifndef WEIR_TRAIN_SAVER_GRAPH_MESSAGES_H_
#define WEIR_TRAIN_SAVER_GRAPH_MESSAGES_H_

#include "graph/graph.h"
#include "proto/saver.pb.h"
#include "weir/train/saver_graph.h"

#endif  // WEIR_TRAIN_SAVER_GRAPH_MESSAGES_H_

// Internal version of the public header: adds the message.
#ifndef WEIR_TRAIN_GRAPH_FILE_MESSAGES_H_
#define WEIR_TRAIN_GRAPH_FILE_MESSAGES_H_

#include "base/env.h"
#include "proto/graph.pb.h"
#include "weir/train/graph_file.h"

#endif  // WEIR_TRAIN_GRAPH_FILE_MESSAGES_H_

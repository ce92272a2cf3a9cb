// Internal version of the public header: adds the messages.
#ifndef WEIR_GRAPH_COMPOSE_SUMMARY_MESSAGES_H_
#define WEIR_GRAPH_COMPOSE_SUMMARY_MESSAGES_H_

#include "graph/graph.h"
#include "proto/summary.pb.h"
#include "weir/graph/compose/summary.h"

#endif  // WEIR_GRAPH_COMPOSE_SUMMARY_MESSAGES_H_

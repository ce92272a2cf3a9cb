// Internal version of the public header: adds the messages that it names.
#ifndef WEIR_SESSION_SESSION_MESSAGES_H_
#define WEIR_SESSION_SESSION_MESSAGES_H_

#include "graph/graph.h"
#include "proto/config.pb.h"
#include "weir/session/session.h"

#endif  // WEIR_SESSION_SESSION_MESSAGES_H_

// Server for Weir's own code: the public header, and its message and dependencies.
#ifndef WEIR_CLUSTER_SERVER_MESSAGES_H_
#define WEIR_CLUSTER_SERVER_MESSAGES_H_

#include "base/thread_pool.h"
#include "cluster/network.h"
#include "op/py_func.h"
#include "proto/server.pb.h"
#include "session/cluster_spec.h"
#include "weir/cluster/server.h"

#endif  // WEIR_CLUSTER_SERVER_MESSAGES_H_

// Internal version of the public header: adds the message that it is converted to.
#ifndef WEIR_SESSION_CLUSTER_SPEC_MESSAGES_H_
#define WEIR_SESSION_CLUSTER_SPEC_MESSAGES_H_

#include "base/status.h"
#include "proto/cluster.pb.h"
#include "weir/session/cluster_spec.h"

#endif  // WEIR_SESSION_CLUSTER_SPEC_MESSAGES_H_

// Internal version of the public header: adds the types that its functions use.
#ifndef WEIR_CLUSTER_SERVER_PARTS_H_
#define WEIR_CLUSTER_SERVER_PARTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "cluster/network.h"
#include "cluster/process_parts.h"
#include "op/op_registry.h"
#include "op/py_func.h"
#include "proto/server.pb.h"
#include "session/cluster_spec.h"
#include "weir/cluster/server.h"

namespace weir {

struct Server::Options {
  // Where to listen instead of the task's address in the cluster: "host" or "host:port". Empty: WEIR_BIND_ADDRESS of
  // the environment, or else the address in the cluster.
  std::string bind_address;
  // Time after which the master closes a session that no client has used since its creation; 0: never. Not set:
  // WEIR_UNCLAIMED_SESSION_SECONDS of the environment, or else a day.
  std::optional<int64_t> unclaimed_session_ms;
  // Jobs, separated by commas: once all of their tasks have ended, Join stops the server. Empty: it does not.
  std::string end_with;
  // The folders whose files the kernels may use. Not set: WEIR_FILES of the environment (separated by colons), or else
  // none if callers must show credentials, and all files if not.
  std::optional<std::vector<std::string>> files;
  // What happens if other hosts can reach the server and callers need no credentials. WEIR_REQUIRE_TLS=1 in the
  // environment always refuses.
  enum class WhenOpen { kWarn, kRefuse, kAllow };
  WhenOpen when_open = WhenOpen::kWarn;
};

}  // namespace weir

#endif  // WEIR_CLUSTER_SERVER_PARTS_H_

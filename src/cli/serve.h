// `weir serve`: one task of a cluster as a process of its own, without Python.
// Invariant: a signal that asks it to end lets running steps finish, and the exit status is 0.
#ifndef WEIR_CLI_SERVE_H_
#define WEIR_CLI_SERVE_H_

#include <string>

#include "base/env.h"
#include "session/cluster_config.h"

namespace weir::cli {

struct ServeOptions {
  // Where the cluster comes from: one of the first three, or else TF_CONFIG.
  std::string cluster;  // "ps=a:1,b:1;worker=c:1"
  std::string ps_hosts, worker_hosts;
  std::string config_file;
  // Which task this is: over what the file or TF_CONFIG says. May be left out where there is only one.
  std::string job_name;
  int task_index = -1;
  std::string bind_address;
  double grace_seconds = 3;  // for running steps, when asked to end
};

// The cluster and the task that the options, and `tf_config` (null: not set) where these name none, say.
Result<ClusterConfig> ServedTask(const ServeOptions& options, const char* tf_config, Env& env);

// Serves until SIGTERM or SIGINT. A second one does not wait for steps.
Status Serve(const ServeOptions& options);

}  // namespace weir::cli

#endif  // WEIR_CLI_SERVE_H_

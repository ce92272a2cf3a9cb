// `weir serve`: runs one task of a cluster, without Python.
// Invariant: SIGTERM or SIGINT lets running steps finish, and the exit status is 0.
#ifndef WEIR_CLI_SERVE_H_
#define WEIR_CLI_SERVE_H_

#include <optional>
#include <string>
#include <vector>

#include "base/env.h"
#include "cluster/credentials.h"
#include "cluster/limits.h"
#include "session/cluster_config.h"

namespace weir::cli {

struct ServeOptions {
  // The cluster: set at most one of `cluster`, the hosts, and `config_file`. If none is set, TF_CONFIG is used.
  std::string cluster;  // "ps=a:1,b:1;worker=c:1"
  std::string ps_hosts, worker_hosts;
  std::string config_file;
  // This task: overrides the file and TF_CONFIG. Optional if the cluster has only one task.
  std::string job_name;
  int task_index = -1;
  std::string bind_address;
  std::string end_with;     // jobs, separated by commas: the server ends when all of their tasks have ended
  Credentials credentials;  // what is not set comes from the environment
  std::optional<std::vector<std::string>> files;  // folders
  bool insecure = false;                          // serve other hosts without credentials
  double grace_seconds = 3;                       // for running steps, after a signal
  Limits::Settings limits;                        // what is not set comes from the environment
};

// The cluster alone.
Result<ClusterConfig> ClusterOf(const ServeOptions& options, const char* tf_config, Env& env);
// Determines the cluster and the task from the options, or from `tf_config` (null: not set) if the options name no
// cluster.
Result<ClusterConfig> ServedTask(const ServeOptions& options, const char* tf_config, Env& env);

// Serves until SIGTERM or SIGINT, or until the tasks of `end_with` have ended. A second signal does not wait for
// running steps.
Status Serve(const ServeOptions& options);

}  // namespace weir::cli

#endif  // WEIR_CLI_SERVE_H_

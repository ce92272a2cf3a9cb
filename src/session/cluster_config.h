// ClusterConfig: a cluster and the task of this process in it, as in the JSON of TF_CONFIG and of cluster files:
//   {"cluster": {"ps": ["a:1", "b:1"], "worker": {"0": "c:1", "2": "d:1"}}, "task": {"type": "worker", "index": 0}}
// Invariant: if there is a task, the cluster contains it.
#ifndef WEIR_SESSION_CLUSTER_CONFIG_H_
#define WEIR_SESSION_CLUSTER_CONFIG_H_

#include <string>
#include <string_view>

#include "base/env.h"
#include "session/cluster_spec.h"

namespace weir {

struct ClusterConfig {
  ClusterSpec cluster;
  std::string job_name;  // empty if there is no "task", e.g. in a file that all tasks share
  int task_index = 0;

  bool operator==(const ClusterConfig& other) const = default;

  // Ignores entries other than "cluster" and "task": other programs add their own. InvalidArgument messages begin with
  // `source` (the origin of the text) and name the part that is wrong.
  static Result<ClusterConfig> Parse(std::string_view json, std::string_view source);
  static Result<ClusterConfig> ReadFile(Env& env, const std::string& path);
  // A single line. A job without gaps in its indices is a list, any other job an object.
  std::string ToJson() const;
};

}  // namespace weir

#endif  // WEIR_SESSION_CLUSTER_CONFIG_H_

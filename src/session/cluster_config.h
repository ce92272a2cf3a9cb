// ClusterConfig: a cluster and which of its tasks this is, in the JSON of TF_CONFIG and of cluster files:
//   {"cluster": {"ps": ["a:1", "b:1"], "worker": {"0": "c:1", "2": "d:1"}}, "task": {"type": "worker", "index": 0}}
// Invariant: a task that is named is in the cluster.
#ifndef WEIR_SESSION_CLUSTER_CONFIG_H_
#define WEIR_SESSION_CLUSTER_CONFIG_H_

#include <string>
#include <string_view>

#include "base/env.h"
#include "session/cluster_spec.h"

namespace weir {

struct ClusterConfig {
  ClusterSpec cluster;
  std::string job_name;  // empty: the text has no "task", as a file that all tasks share
  int task_index = 0;

  bool operator==(const ClusterConfig& other) const = default;

  // Other entries than "cluster" and "task" are ignored, as others put theirs there. InvalidArgument begins with
  // `source`, where the text comes from, and says which part of it is wrong.
  static Result<ClusterConfig> Parse(std::string_view json, std::string_view source);
  static Result<ClusterConfig> ReadFile(Env& env, const std::string& path);
  // One line, with lists for jobs without gaps.
  std::string ToJson() const;
};

}  // namespace weir

#endif  // WEIR_SESSION_CLUSTER_CONFIG_H_

// TaskRole: what this process does in distributed training. Read from the environment variable TF_CONFIG:
// {"cluster": {"chief": ["a:1"], "ps": ["b:1"], "worker": ["c:1"]}, "task": {"type": "worker", "index": 0}}
// A cluster needs one "chief" (or "master"). An "evaluator" is not part of the cluster. A value type.
#ifndef WEIR_SESSION_TASK_ROLE_H_
#define WEIR_SESSION_TASK_ROLE_H_

#include <optional>
#include <string>
#include <string_view>

#include "weir/session/cluster_spec.h"

namespace weir {

struct TaskRole {
  ClusterSpec cluster = {};          // empty in a process that trains alone, and in an evaluator
  std::string task_type = "worker";  // the job
  int task_id = 0;
  std::optional<int> global_id = 0;  // unique among all tasks; none for an evaluator
  std::string master = "";           // target of sessions: "grpc://a:1"; "" means in this process
  std::string evaluation_master = "";
  bool is_chief = true;
  int num_ps_replicas = 0;
  int num_worker_replicas = 1;  // includes the chief
  std::string model_dir = "";   // "" if the text does not say
  std::string service = "";     // "service", an object for the program itself, as JSON; "" if there is none

  bool operator==(const TaskRole& other) const = default;

  // Resolves the text of TF_CONFIG; an empty object means that there is no cluster. InvalidArgument names what is
  // wrong.
  static Result<TaskRole> FromTfConfig(std::string_view json);
  // The role in the environment of this process.
  static Result<TaskRole> FromEnvironment();
};

}  // namespace weir

#endif  // WEIR_SESSION_TASK_ROLE_H_

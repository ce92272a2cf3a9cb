// `weir up`: runs a program as all tasks of a cluster on this host, one process per task.
// Invariant: when Up returns, every task and everything the tasks started has ended.
#ifndef WEIR_CLI_UP_H_
#define WEIR_CLI_UP_H_

#include <string>
#include <vector>

#include "base/status.h"

namespace weir::cli {

struct UpOptions {
  std::string script;  // a Python script or an executable
  std::vector<std::string> arguments;
  int ps = 1;
  int workers = 1;
  bool chief = false;        // a chief beside the workers, as tf.estimator needs it
  bool evaluator = false;    // an evaluator, which is not part of the cluster
  double grace_seconds = 5;  // between asking a task to end and killing it
  bool no_flags = false;     // pass the task's identity in TF_CONFIG only
  int restarts = 0;          // how often a task that fails or is killed is started again
};

// Runs the tasks until all have ended. Returns the exit status: 0 if all workers succeeded; that of the first task that
// failed more often than it may be restarted (128 + n if signal n ended it); 128 + n if signal n ended `weir up`
// itself.
Result<int> Up(const UpOptions& options);

}  // namespace weir::cli

#endif  // WEIR_CLI_UP_H_

// `weir up`: a program as all tasks of a cluster on this host, each a process of its own.
// Invariant: when it returns, every task and what tasks have started has ended.
#ifndef WEIR_CLI_UP_H_
#define WEIR_CLI_UP_H_

#include <string>
#include <vector>

#include "base/status.h"

namespace weir::cli {

struct UpOptions {
  std::string script;  // Python, or a program of its own
  std::vector<std::string> arguments;
  int ps = 1;
  int workers = 1;
  double grace_seconds = 5;  // from asking a task to end until it is killed
  bool no_flags = false;     // TF_CONFIG alone says who a task is
};

// Starts the tasks and stays until they have ended. The exit status: 0 when all workers have ended well, that of the
// first task that failed, or 128 + n where signal n has ended it.
Result<int> Up(const UpOptions& options);

}  // namespace weir::cli

#endif  // WEIR_CLI_UP_H_

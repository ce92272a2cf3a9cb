// ChildProcesses: starts programs, reads their output, reports when they end, and kills them.
// Invariant: no child, and nothing it started in its process group, outlives this object or this process, no matter how
// the process ends. Children die with it (PR_SET_PDEATHSIG), and a watcher process kills their groups.
#ifndef WEIR_CLI_CHILD_PROCESSES_H_
#define WEIR_CLI_CHILD_PROCESSES_H_

#include <poll.h>
#include <signal.h>
#include <sys/types.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace weir::cli {

// Not thread-safe; REQUIRES: a process with one thread, and at most one object at a time. While the object exists,
// SIGINT, SIGTERM and SIGHUP arrive as events (ignored signals stay ignored), and SIGPIPE is ignored.
class ChildProcesses final {
 public:
  struct Command {
    std::vector<std::string> arguments;                            // program path first
    std::vector<std::pair<std::string, std::string>> environment;  // added to the environment of this process
    bool has_live_line = false;                                    // whether it reports its live line to this process
  };
  struct Event {
    enum Kind { kOutput, kLiveLine, kEnded, kSignal };
    Kind kind;
    int child = -1;         // index returned by Start; not set for kSignal
    bool is_error = false;  // kOutput: written to standard error
    std::string text;       // kOutput, kLiveLine: a chunk of the output
    int status = 0;         // kEnded: the exit status, 128 + n after signal n; kSignal: its number
  };

  static Result<std::unique_ptr<ChildProcesses>> Make();
  ~ChildProcesses();
  ChildProcesses(const ChildProcesses&) = delete;

  // Starts the command in its own process group, with standard input empty. Returns the child's index, counted from 0.
  Result<int> Start(const Command& command);
  // Signals the child's process group. No-op if the child has ended.
  void Signal(int child, int signal);
  // Waits for an event, until one of `others` is ready, or until the timeout (-1: none). A child's output comes before
  // its kEnded event; if `read_output` is false, it is only read then. When a child ends, the rest of its group is
  // killed.
  Result<std::vector<Event>> Wait(int timeout_ms, bool read_output, std::vector<pollfd>& others);

 private:
  static constexpr int kStreams = 3;  // standard output, standard error, the live line
  struct Child {
    pid_t pid = 0;  // 0: has ended
    int pipes[kStreams] = {-1, -1, -1};
  };

  ChildProcesses() = default;
  Status StartWatcher();
  void NotifyWatcher(int group);
  void ReadSignals(std::vector<Event>& events);
  void ReadPipe(int child, int stream, bool all, std::vector<Event>& events);
  void CollectEnded(std::vector<Event>& events);

  std::vector<Child> children_;
  pid_t watcher_ = 0;
  int watcher_pipe_ = -1;
  int signal_fd_ = -1;
  sigset_t old_mask_ = {};
  struct sigaction old_pipe_action_ = {};
};

}  // namespace weir::cli

#endif  // WEIR_CLI_CHILD_PROCESSES_H_

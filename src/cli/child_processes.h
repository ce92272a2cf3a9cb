// ChildProcesses: starts programs, reads what they write, hears when they end, and ends them.
// Invariant: no child, nor anything that it has started in its process group, outlives this object or this process,
// however the process ends: children die with it (PR_SET_PDEATHSIG), and a watching process ends their groups.
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

// For a process with one thread; one object at a time. While it lives, SIGINT, SIGTERM and SIGHUP come as events
// (those that the process ignores stay ignored), and SIGPIPE is ignored.
class ChildProcesses final {
 public:
  struct Command {
    std::vector<std::string> arguments;                            // the path of the program first
    std::vector<std::pair<std::string, std::string>> environment;  // beside that of this process
    bool has_live_line = false;                                    // which it reports to this process
  };
  struct Event {
    enum Kind { kOutput, kLiveLine, kEnded, kSignal };
    Kind kind;
    int child = -1;         // but for kSignal: what Start returned
    bool is_error = false;  // kOutput: written to standard error
    std::string text;       // kOutput, kLiveLine: a piece of what is written there
    int status = 0;         // kEnded: the exit status, 128 + n after signal n; kSignal: its number
  };

  static Result<std::unique_ptr<ChildProcesses>> Make();
  ~ChildProcesses();
  ChildProcesses(const ChildProcesses&) = delete;

  // In a process group of its own, with nothing to read. Children are numbered from 0.
  Result<int> Start(const Command& command);
  // To the child's process group, if the child still runs.
  void Signal(int child, int signal);
  // Waits until something has happened, until one of `others` is ready, or for that long (-1: for ever). What a child
  // has written comes before its end; without `read_output` only at its end. What it leaves in its group is killed.
  Result<std::vector<Event>> Wait(int timeout_ms, bool read_output, std::vector<pollfd>& others);

 private:
  static constexpr int kStreams = 3;  // standard output, standard error, the live line
  struct Child {
    pid_t pid = 0;  // 0: has ended
    int pipes[kStreams] = {-1, -1, -1};
  };

  ChildProcesses() = default;
  Status StartWatcher();
  void TellWatcher(int group);
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

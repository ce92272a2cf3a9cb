// RunMarks: lets a restarted chief find out which tasks still have the variables of its run. Each task with variables
// also has a mark: a variable with the id of the run that initialized or restored them, and a fingerprint of their
// names, types and shapes. A restarted task loses its mark together with its variables. The id of the run is in a file
// of the checkpoint directory.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/rng.h"
#include "train/session_manager.h"

namespace weir {

inline constexpr char kRunIdFile[] = "weir_run_id";

// `text` is "partial", "resume", "restore" or empty, which means partial. InvalidArgument for others.
Result<RecoverMode> ParseRecoverMode(std::string_view text);

class RunMarks final {
 public:
  struct Options {
    std::string directory = "";  // of the checkpoints; if empty, marks are ignored
    Env* env = &RealEnv();
    CancelToken* cancel = nullptr;
  };
  // Reads the marks. `session` must be the one that trains afterwards: if a task is restarted after this call, the next
  // step of that session on the task fails. Null if marks are impossible: the graph has no global variables, or they
  // end with the session.
  static Result<std::unique_ptr<RunMarks>> Read(Graph& graph, Session& session, const Options& options);
  ~RunMarks();
  RunMarks(const RunMarks&) = delete;
  RunMarks& operator=(const RunMarks&) = delete;

  // The tasks with variables: "/job:ps/task:1"; "" is the task of the session's own server.
  const std::set<std::string>& tasks() const { return tasks_; }
  // The tasks whose variables this run has neither initialized nor restored since the task was started.
  const std::set<std::string>& lost() const { return lost_; }

  // Call it before variables of these tasks are assigned.
  Status Clear(const std::set<std::string>& tasks);
  // Call it when the variables of these tasks are ready. Writes the file with the run's id if there is none.
  Status Set(const std::set<std::string>& tasks);

 private:
  RunMarks(const Options& options, std::shared_ptr<Graph> graph) : options_(options), graph_(std::move(graph)) {}
  struct Mark {
    std::string fingerprint;
    Output value;
    Output is_set;
    Output next;  // placeholder of the value that `assign` sets
    Node* assign = nullptr;
  };
  Status Build(const std::map<std::string, std::vector<std::string>>& variables);
  Status ReadValues();
  Status Assign(const std::set<std::string>& tasks, bool clear);
  Status FindRunId();

  const Options options_;
  const std::shared_ptr<Graph> graph_;
  SessionPtr session_;
  std::map<std::string, Mark> marks_;  // by task
  std::set<std::string> tasks_;
  std::set<std::string> lost_;
  std::string run_id_;  // empty: there is no file
};

// The task of a device: "/job:ps/task:1", or "" if the device names none.
std::string RequestedTask(const std::string& device);

}  // namespace weir

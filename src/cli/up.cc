#include "cli/up.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "absl/strings/str_join.h"
#include "cli/child_processes.h"
#include "cli/free_ports.h"
#include "cli/live_area.h"
#include "cli/prefixed_output.h"
#include "cli/run_python.h"
#include "session/cluster_config.h"

namespace weir::cli {

namespace {

using SteadyClock = std::chrono::steady_clock;
using Event = ChildProcesses::Event;

// Limit on queued output. Above it, the tasks' pipes are not read, so tasks that write block.
constexpr size_t kMostQueued = 1 << 20;

// Whether the file is executed directly instead of by Python: a binary, or a script with another interpreter.
bool IsProgram(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string first(4, '\0');
  if (!file.read(first.data(), 4)) return false;
  if (first == "\177ELF") return true;
  std::string interpreter;
  return first.starts_with("#!") && std::getline(file, interpreter) &&
         (first + interpreter).find("python") == std::string::npos;
}

// Standard output and standard error, which may be the same file. If standard error is a terminal, live lines are drawn
// below it.
class Console final {
 public:
  Console() : has_live_lines_(error_.wants_colour()) {}
  // Returns the queue to add output to. Erases the live lines if they are drawn there.
  OutputQueue& queue(bool is_error) {
    OutputQueue& queue = QueueOf(is_error);
    if (&queue == &QueueOf(true)) live_.Erase();
    return queue;
  }
  LiveArea& live() { return live_; }
  bool has_live_lines() const { return has_live_lines_; }
  bool is_full() const { return std::max(out_.size(), error_.size()) > kMostQueued; }
  bool empty() const { return out_.size() + error_.size() == 0; }
  void Discard() {
    out_.Discard();
    error_.Discard();
  }
  void Say(const std::string& message) { queue(true).Add("weir: " + message + "\n"); }

  std::vector<pollfd> Pending() const {
    std::vector<pollfd> fds;
    for (const OutputQueue* queue : {&out_, &error_}) {
      if (queue->size() > 0) fds.push_back({queue->fd(), POLLOUT, 0});
    }
    return fds;
  }
  Status Write(const std::vector<pollfd>& polled) {
    for (const pollfd& ready : polled) {
      if (ready.revents != 0) WEIR_TRY((ready.fd == out_.fd() ? out_ : error_).WriteSome());
    }
    return OkStatus();
  }

 private:
  OutputQueue& QueueOf(bool is_error) { return is_error && !same_file_ ? error_ : out_; }

  static bool AreSameFile() {
    struct stat out, error;
    return fstat(1, &out) == 0 && fstat(2, &error) == 0 && out.st_dev == error.st_dev && out.st_ino == error.st_ino;
  }

  const bool same_file_ = AreSameFile();
  OutputQueue out_{1};
  OutputQueue error_{2};
  const bool has_live_lines_;
  LiveArea live_{QueueOf(true)};
};

struct Task {
  Task(std::string task_name, bool is_parameter_server, int number, ChildProcesses::Command its_command,
       Console& console)
      : name(std::move(task_name)),
        is_ps(is_parameter_server),
        command(std::move(its_command)),
        live{.prefix = TaskPrefix(name, number, console.has_live_lines()),
             .prefix_columns = static_cast<int>(name.size()) + 3},
        out(TaskPrefix(name, number, console.queue(false).wants_colour())),
        error(TaskPrefix(name, number, console.queue(true).wants_colour())) {}

  std::string name;  // "worker/1"
  bool is_ps;
  ChildProcesses::Command command;
  int child = -1;  // the process that runs it now
  int restarts = 0;
  LiveArea::Line live;
  std::string live_text;  // ends with an incomplete line
  LinePrefixer out;
  LinePrefixer error;
  bool has_ended = false;
  bool is_asked_to_end = false;
  std::optional<SteadyClock::time_point> kill_at;
};

class LocalCluster final {
 public:
  LocalCluster(const UpOptions& options, std::unique_ptr<ChildProcesses> children)
      : options_(options), children_(std::move(children)) {}

  Status Start() {
    std::vector<std::string> program = {std::filesystem::absolute(options_.script).string()};
    if (!IsProgram(options_.script)) {
      WEIR_ASSIGN(const std::string weir, ThisProgram());
      program = {weir, "run", options_.script};
    }
    struct Identity {
      std::string job;
      int index;
    };
    std::vector<Identity> identities;
    const auto add = [&](const char* job, int count) {
      for (int i = 0; i < count; ++i) identities.push_back({job, i});
    };
    add("ps", options_.ps);
    add("chief", options_.chief ? 1 : 0);
    add("worker", options_.workers);
    WEIR_ASSIGN(const std::vector<int> ports, FindFreePorts(static_cast<int>(identities.size())));
    std::map<std::string, ClusterSpec::Tasks> jobs;
    std::map<std::string, std::vector<std::string>> hosts;
    for (size_t i = 0; i < identities.size(); ++i) {
      const std::string address = fmt::format("localhost:{}", ports[i]);
      jobs[identities[i].job][identities[i].index] = address;
      hosts[identities[i].job].push_back(address);
    }
    add("evaluator", options_.evaluator ? 1 : 0);
    const std::string ps_hosts = absl::StrJoin(hosts["ps"], ","), worker_hosts = absl::StrJoin(hosts["worker"], ",");
    console_.Say((options_.ps == 0 ? "" : fmt::format("{} ps at {}; ", options_.ps, ps_hosts)) +
                 (options_.chief ? fmt::format("chief at {}; ", hosts["chief"][0]) : "") +
                 fmt::format("{} worker{} at {}", options_.workers, options_.workers == 1 ? "" : "s", worker_hosts));
    ClusterConfig config;
    WEIR_ASSIGN(config.cluster, ClusterSpec::Make(std::move(jobs)));
    for (const Identity& identity : identities) {
      config.job_name = identity.job;
      config.task_index = identity.index;
      ChildProcesses::Command command;
      command.arguments = program;
      command.arguments.insert(command.arguments.end(), options_.arguments.begin(), options_.arguments.end());
      if (!options_.no_flags) {
        command.arguments.push_back("--ps_hosts=" + ps_hosts);
        command.arguments.push_back("--worker_hosts=" + worker_hosts);
        command.arguments.push_back("--job_name=" + config.job_name);
        command.arguments.push_back(fmt::format("--task_index={}", config.task_index));
      }
      command.environment.emplace_back("TF_CONFIG", config.ToJson());
      command.has_live_line = console_.has_live_lines();
      // Show lines when they are printed.
      if (std::getenv("PYTHONUNBUFFERED") == nullptr) command.environment.emplace_back("PYTHONUNBUFFERED", "1");
      tasks_.emplace_back(fmt::format("{}/{}", config.job_name, config.task_index), identity.job == "ps",
                          identity.index, std::move(command), console_);
      WEIR_TRY(StartProcess(tasks_.back()));
    }
    return OkStatus();
  }

  Result<int> Run() {
    while (!AllEnded() || !console_.empty()) {
      std::vector<pollfd> fds = console_.Pending();
      WEIR_ASSIGN(const std::vector<Event> events, children_->Wait(MillisecondsToWait(), !console_.is_full(), fds));
      if (!console_.Write(fds).ok()) EndAll(SIGTERM, 128 + SIGPIPE);  // the reader is gone: end like any program
      for (const Event& event : events) {
        if (event.kind == Event::kSignal) {
          Interrupt(event.status);
        } else {
          WEIR_TRY(Handle(tasks_[task_of_child_[static_cast<size_t>(event.child)]], event));
        }
      }
      KillOverdue();
      if (console_.live().stale() && console_.empty() && SteadyClock::now() >= console_.live().next())
        console_.live().Draw(SteadyClock::now());
    }
    return status_.value_or(0);
  }

 private:
  bool AllEnded(bool workers_only = false) const {
    return std::all_of(tasks_.begin(), tasks_.end(),
                       [&](const Task& task) { return task.has_ended || (workers_only && task.is_ps); });
  }

  Status StartProcess(Task& task) {
    WEIR_ASSIGN(task.child, children_->Start(task.command));
    task_of_child_.push_back(static_cast<size_t>(NumberOf(task)));
    return OkStatus();
  }

  Status Handle(Task& task, const Event& event) {
    if (event.kind == Event::kOutput) {
      (event.is_error ? task.error : task.out).Add(event.text, console_.queue(event.is_error));
    } else if (event.kind == Event::kLiveLine) {
      HandleLiveLine(task, event.text);
    } else {
      return HandleEnd(task, event.status);
    }
    return OkStatus();
  }

  Status HandleEnd(Task& task, int status) {
    EndLiveLine(task);
    task.out.Finish(console_.queue(false));
    task.error.Finish(console_.queue(true));
    const bool failed = status != 0 && !task.is_asked_to_end;
    const std::string how = status > 128
                                ? fmt::format("was killed by signal {} ({})", status - 128, strsignal(status - 128))
                                : fmt::format("failed with status {}", status);
    if (failed && !is_interrupted_ && task.restarts < options_.restarts) {
      ++task.restarts;
      console_.Say(
          fmt::format("{} {}; starting it again ({} of {})", task.name, how, task.restarts, options_.restarts));
      return StartProcess(task);
    }
    task.has_ended = true;
    if (failed) {
      console_.Say(fmt::format("{} {}; stopping the other tasks", task.name, how));
      EndAll(SIGTERM, status);
    } else if (AllEnded(/*workers_only=*/true)) {
      for (Task& ps : tasks_) AskToEnd(ps, SIGTERM);
    }
    return OkStatus();
  }

  // Parses reports of the live line: each line is the task's current live line; an empty one makes the last line
  // permanent.
  void HandleLiveLine(Task& task, std::string_view text) {
    task.live_text += text;
    for (size_t end = 0; (end = task.live_text.find('\n')) != std::string::npos; task.live_text.erase(0, end + 1)) {
      if (end == 0) {
        EndLiveLine(task);
        continue;
      }
      task.live.text = task.live_text.substr(0, end);
      console_.live().Set(NumberOf(task), task.live);
    }
  }

  void EndLiveLine(Task& task) {
    if (task.live.text.empty()) return;
    console_.live().Remove(NumberOf(task));
    console_.queue(true).Add(task.live.prefix + task.live.text + "\n");
    task.live.text.clear();
  }

  // The first signal asks the workers to end; parameter servers stay up, because workers may still save. A second one
  // kills all tasks and discards unwritten output.
  void Interrupt(int signal) {
    if (is_interrupted_ || AllEnded()) {
      for (Task& task : tasks_) {
        task.is_asked_to_end = true;
        children_->Signal(task.child, SIGKILL);
      }
      console_.Discard();
      return;
    }
    is_interrupted_ = true;
    console_.Say(fmt::format("{}: stopping all tasks; repeat to kill them", strsignal(signal)));
    if (!status_.has_value()) status_ = 128 + signal;
    for (Task& task : tasks_) {
      if (!task.is_ps) AskToEnd(task, signal == SIGINT ? SIGINT : SIGTERM);
    }
  }

  void EndAll(int signal, int status) {
    if (!status_.has_value()) status_ = status;
    for (Task& task : tasks_) AskToEnd(task, signal);
  }

  void AskToEnd(Task& task, int signal) {
    if (task.has_ended || task.is_asked_to_end) return;
    task.is_asked_to_end = true;
    task.kill_at = SteadyClock::now() + std::chrono::milliseconds(std::llround(options_.grace_seconds * 1000));
    children_->Signal(task.child, signal);
  }

  void KillOverdue() {
    for (Task& task : tasks_) {
      if (task.has_ended || !task.kill_at.has_value() || SteadyClock::now() < *task.kill_at) continue;
      task.kill_at.reset();
      console_.Say(fmt::format("{} did not end within {} s; killing it", task.name, options_.grace_seconds));
      children_->Signal(task.child, SIGKILL);
    }
  }

  int MillisecondsToWait() {
    std::optional<SteadyClock::time_point> next;
    for (const Task& task : tasks_) {
      if (!task.has_ended && task.kill_at.has_value()) next = std::min(next.value_or(*task.kill_at), *task.kill_at);
    }
    // While output is pending, poll() on its descriptor wakes us.
    if (console_.live().stale() && console_.empty())
      next = std::min(next.value_or(console_.live().next()), console_.live().next());
    if (!next.has_value()) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - SteadyClock::now()).count();
    return static_cast<int>(std::clamp<int64_t>(left, 0, 3'600'000));
  }

  int NumberOf(const Task& task) const { return static_cast<int>(&task - tasks_.data()); }

  const UpOptions& options_;
  std::unique_ptr<ChildProcesses> children_;
  Console console_;
  std::vector<Task> tasks_;
  std::vector<size_t> task_of_child_;  // by the number of the child process
  std::optional<int> status_;
  bool is_interrupted_ = false;
};

}  // namespace

Result<int> Up(const UpOptions& options) {
  std::error_code error;
  if (!std::filesystem::exists(options.script, error)) return NotFound("file '{}' not found", options.script);
  WEIR_ASSIGN(std::unique_ptr<ChildProcesses> children, ChildProcesses::Make());
  LocalCluster cluster(options, std::move(children));
  WEIR_TRY(cluster.Start());
  return cluster.Run();
}

}  // namespace weir::cli

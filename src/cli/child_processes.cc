#include "cli/child_processes.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <set>

#include "base/live_line.h"

namespace weir::cli {

namespace {

Status SystemError(const char* what) { return UnknownError("{}: {}", what, std::strerror(errno)); }

// Opens descriptors 0 to 2 if they are closed, so that no pipe gets one of these numbers.
void OpenStandardStreams() {
  int fd = 0;
  do {
    fd = open("/dev/null", O_RDWR);
  } while (fd >= 0 && fd <= 2);
  if (fd > 2) close(fd);
}

void CloseDescriptor(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

constexpr int kLiveLine = 2;  // index of the live line's pipe in Child::pipes

// In the child: passes the pipe of its live line on through the environment. Writes to it never block.
void PassLiveLine(int pipe) {
  struct stat found;
  if (fstat(pipe, &found) != 0) return;
  fcntl(pipe, F_SETFD, 0);
  fcntl(pipe, F_SETFL, O_NONBLOCK);
  setenv(LiveLine::kVariable, fmt::format("{}:{}", pipe, found.st_ino).c_str(), /*overwrite=*/1);
}

bool IsIgnored(int signal) {
  struct sigaction action = {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

// The watcher process. Reads when groups start (n) and end (-n); when the pipe closes, kills the groups that are left.
[[noreturn]] void Watch(int pipe) {
  std::set<int> groups;
  int group = 0;
  for (;;) {
    const ssize_t count = read(pipe, &group, sizeof(group));
    if (count < 0 && errno == EINTR) continue;
    if (count != sizeof(group)) break;
    if (group > 0) groups.insert(group);
    if (group < 0) groups.erase(-group);
  }
  for (const int left : groups) kill(-left, SIGKILL);
  _exit(0);
}

}  // namespace

Result<std::unique_ptr<ChildProcesses>> ChildProcesses::Make() {
  OpenStandardStreams();
  std::unique_ptr<ChildProcesses> self(new ChildProcesses());
  signal(SIGCHLD, SIG_DFL);  // if ignored, the kernel reaps children and waitid does not see them
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGCHLD);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    if (!IsIgnored(number)) sigaddset(&mask, number);
  }
  sigprocmask(SIG_BLOCK, &mask, &self->old_mask_);
  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &self->old_pipe_action_);
  self->signal_fd_ = signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC);
  if (self->signal_fd_ < 0) return SystemError("signalfd");
  WEIR_TRY(self->StartWatcher());
  return self;
}

ChildProcesses::~ChildProcesses() {
  for (Child& child : children_) {
    if (child.pid > 0) kill(-child.pid, SIGKILL);
  }
  for (Child& child : children_) {
    if (child.pid > 0) waitpid(child.pid, nullptr, 0);
    for (int& pipe : child.pipes) CloseDescriptor(pipe);
  }
  CloseDescriptor(watcher_pipe_);
  if (watcher_ > 0) waitpid(watcher_, nullptr, 0);
  CloseDescriptor(signal_fd_);
  sigaction(SIGPIPE, &old_pipe_action_, nullptr);
  sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
}

Status ChildProcesses::StartWatcher() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return SystemError("pipe");
  watcher_ = fork();
  if (watcher_ < 0) {
    watcher_ = 0;
    close(ends[0]);
    close(ends[1]);
    return SystemError("fork");
  }
  if (watcher_ == 0) {
    // Own session: signals of the terminal do not reach the watcher. Closes the standard streams, because readers of
    // those pipes wait until all writers are gone.
    setsid();
    prctl(PR_SET_NAME, "weir-watch");
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, SIG_IGN);
    close(ends[1]);
    const int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd <= 2; ++fd) dup2(null, fd);
    Watch(ends[0]);
  }
  close(ends[0]);
  watcher_pipe_ = ends[1];
  return OkStatus();
}

void ChildProcesses::NotifyWatcher(int group) {
  // Best effort. The pipe cannot fill up: little is written. Without a watcher, children still die with this process.
  [[maybe_unused]] const ssize_t written = write(watcher_pipe_, &group, sizeof(group));
}

Result<int> ChildProcesses::Start(const Command& command) {
  std::vector<char*> argv;
  for (const std::string& argument : command.arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  int ends[kStreams][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
  const auto close_all = [&ends] {
    for (auto& pipe : ends) {
      for (int& fd : pipe) CloseDescriptor(fd);
    }
  };
  for (int stream = 0; stream < (command.has_live_line ? kStreams : kLiveLine); ++stream) {
    if (pipe2(ends[stream], O_CLOEXEC) != 0) {
      const Status error = SystemError("pipe");
      close_all();
      return error;
    }
  }
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) {
    const Status error = SystemError("fork");
    close_all();
    return error;
  }
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);  // the parent died before the prctl took effect
    setpgid(0, 0);
    const int null = open("/dev/null", O_RDONLY);
    dup2(null, 0);
    dup2(ends[0][1], 1);
    dup2(ends[1][1], 2);
    if (null > 2) close(null);
    if (command.has_live_line) PassLiveLine(ends[kLiveLine][1]);
    for (const auto& [name, value] : command.environment) setenv(name.c_str(), value.c_str(), /*overwrite=*/1);
    sigaction(SIGPIPE, &old_pipe_action_, nullptr);
    sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
    execv(argv[0], argv.data());
    dprintf(2, "cannot start %s: %s\n", argv[0], std::strerror(errno));
    _exit(127);
  }
  setpgid(pid, pid);  // in the parent too: it may signal the group before the child gets there
  NotifyWatcher(pid);
  Child child;
  child.pid = pid;
  for (int stream = 0; stream < kStreams; ++stream) {
    CloseDescriptor(ends[stream][1]);
    child.pipes[stream] = ends[stream][0];
    if (child.pipes[stream] < 0) continue;
    fcntl(child.pipes[stream], F_SETFL, O_NONBLOCK);
  }
  children_.push_back(child);
  return static_cast<int>(children_.size()) - 1;
}

void ChildProcesses::Signal(int child, int signal) {
  if (const pid_t pid = children_[static_cast<size_t>(child)].pid; pid > 0) kill(-pid, signal);
}

Result<std::vector<ChildProcesses::Event>> ChildProcesses::Wait(int timeout_ms, bool read_output,
                                                                std::vector<pollfd>& others) {
  std::vector<pollfd> polled = others;
  polled.push_back({signal_fd_, POLLIN, 0});
  std::vector<std::pair<int, int>> sources;  // child and stream of each following entry of `polled`
  for (size_t child = 0; child < children_.size() && read_output; ++child) {
    for (int stream = 0; stream < kStreams; ++stream) {
      if (children_[child].pipes[stream] < 0) continue;
      sources.emplace_back(child, stream);
      polled.push_back({children_[child].pipes[stream], POLLIN, 0});
    }
  }
  if (poll(polled.data(), polled.size(), timeout_ms) < 0 && errno != EINTR) return SystemError("poll");
  std::copy_n(polled.begin(), others.size(), others.begin());
  std::vector<Event> events;
  for (size_t i = 0; i < sources.size(); ++i) {
    if (polled[others.size() + 1 + i].revents != 0)
      ReadPipe(sources[i].first, sources[i].second, /*all=*/false, events);
  }
  if (polled[others.size()].revents != 0) ReadSignals(events);
  return events;
}

void ChildProcesses::ReadSignals(std::vector<Event>& events) {
  signalfd_siginfo info;
  bool child_ended = false;
  while (read(signal_fd_, &info, sizeof(info)) == sizeof(info)) {
    if (info.ssi_signo == SIGCHLD) {
      child_ended = true;
    } else {
      events.push_back({.kind = Event::kSignal, .status = static_cast<int>(info.ssi_signo)});
    }
  }
  if (child_ended) CollectEnded(events);
}

void ChildProcesses::ReadPipe(int child, int stream, bool all, std::vector<Event>& events) {
  int& pipe = children_[static_cast<size_t>(child)].pipes[stream];
  char buffer[16 << 10];
  // `all` stops at the capacity of a pipe: a process outside of the group may keep writing.
  for (int left = all ? (1 << 20) / static_cast<int>(sizeof(buffer)) : 1; left > 0; --left) {
    const ssize_t count = read(pipe, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
      CloseDescriptor(pipe);
      return;
    }
    events.push_back({.kind = stream == kLiveLine ? Event::kLiveLine : Event::kOutput,
                      .child = child,
                      .is_error = stream == 1,
                      .text = std::string(buffer, static_cast<size_t>(count))});
  }
}

void ChildProcesses::CollectEnded(std::vector<Event>& events) {
  for (int index = 0; index < static_cast<int>(children_.size()); ++index) {
    Child& child = children_[static_cast<size_t>(index)];
    siginfo_t info = {};
    if (child.pid == 0) continue;
    if (waitid(P_PID, static_cast<id_t>(child.pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
      continue;
    // Until waitpid, the kernel does not reuse the pid or the group id.
    kill(-child.pid, SIGKILL);
    NotifyWatcher(-child.pid);
    waitpid(child.pid, nullptr, 0);
    child.pid = 0;
    for (int stream = 0; stream < kStreams; ++stream) {
      if (child.pipes[stream] < 0) continue;
      ReadPipe(index, stream, /*all=*/true, events);
      CloseDescriptor(child.pipes[stream]);
    }
    events.push_back({.kind = Event::kEnded,
                      .child = index,
                      .status = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status});
  }
}

}  // namespace weir::cli

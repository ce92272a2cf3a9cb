#include "tests/hostile/workers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <new>
#include <sstream>
#include <thread>
#include <vector>

#include "base/check.h"

#if defined(__SANITIZE_ADDRESS__)
#define WEIR_HOSTILE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEIR_HOSTILE_ASAN 1
#endif
#endif

namespace weir::hostile {
namespace {

using Seconds = std::chrono::seconds;
using SteadyClock = std::chrono::steady_clock;

constexpr int64_t kCasesPerChild = 2000;  // then a new child, so that leftovers of cases do not accumulate
constexpr size_t kMaxReportBytes = 6000;

#ifdef WEIR_HOSTILE_ASAN
constexpr bool kAsan = true;
#else
constexpr bool kAsan = false;
#endif

// The progress of a child, in memory shared with its parent.
struct Progress {
  std::atomic<int64_t> number{-1};  // current case
  std::atomic<int64_t> cases{0};    // finished cases
};

class CaseProcess final {
 public:
  CaseProcess(int index, const std::filesystem::path& folder) : folder_(folder / std::to_string(index)) {
    void* memory = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    WEIR_CHECK(memory != MAP_FAILED);
    progress_ = new (memory) Progress;
    std::filesystem::create_directories(folder_);
  }
  ~CaseProcess() { munmap(progress_, sizeof(Progress)); }
  CaseProcess(const CaseProcess&) = delete;
  CaseProcess& operator=(const CaseProcess&) = delete;

  // Starts a child on the cases first, first + step, ... below `end`.
  void Start(int64_t first, int64_t end, int64_t step, const std::function<void(int64_t)>& run) {
    next_ = first;
    progress_->number = -1;
    since_ = SteadyClock::now();
    seen_ = -1;
    child_ = fork();
    WEIR_CHECK(child_ >= 0);
    if (child_ == 0) Work(first, end, step, run);
  }
  bool running() const { return child_ > 0; }
  int64_t next() const { return next_; }
  int64_t cases() const { return progress_->cases; }
  std::string Output() const {
    std::ifstream in(folder_ / "output", std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    std::string all = text.str();
    if (all.size() > kMaxReportBytes) all.resize(kMaxReportBytes);
    return all;
  }

  enum class End { kNotYet, kDone, kCrash, kHang };
  // Checks the child once, without blocking. After kCrash and kHang, failed() is the failed case and next() the one
  // after it.
  End Poll(int64_t step, int deadline_seconds, std::string* what) {
    int status = 0;
    const pid_t ended = waitpid(child_, &status, WNOHANG);
    const int64_t number = progress_->number;
    if (ended == child_) {
      child_ = 0;
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        next_ = number;
        return End::kDone;
      }
      *what = WIFSIGNALED(status) ? fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                                  : fmt::format("exit status {}", WEXITSTATUS(status));
      return Failed(number, step, End::kCrash);
    }
    const auto now = SteadyClock::now();
    if (number != seen_) {
      seen_ = number;
      since_ = now;
    } else if (now - since_ > Seconds(deadline_seconds)) {
      *what = fmt::format("no result after {} s", deadline_seconds);
      kill(child_, SIGKILL);
      waitpid(child_, &status, 0);
      child_ = 0;
      return Failed(number, step, End::kHang);
    }
    return End::kNotYet;
  }
  int64_t failed() const { return failed_; }
  void Stop() {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    child_ = 0;
  }

 private:
  End Failed(int64_t number, int64_t step, End end) {
    failed_ = number;
    next_ = std::max(number, next_) + step;
    ++progress_->cases;
    return end;
  }

  // Runs in the child. At the end, progress_->number is the number of the next case.
  [[noreturn]] void Work(int64_t first, int64_t end, int64_t step, const std::function<void(int64_t)>& run) {
    if (chdir(folder_.c_str()) != 0) _exit(3);
    const int output = open("output", O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0600);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    if (!kAsan) {
      const rlimit memory{rlim_t{4} << 30, rlim_t{4} << 30};
      setrlimit(RLIMIT_AS, &memory);
    }
    int64_t number = first;
    for (int64_t done = 0; number < end && done < kCasesPerChild; ++done, number += step) {
      progress_->number = number;
      if (ftruncate(output, 0) != 0 || lseek(output, 0, SEEK_SET) != 0) _exit(3);
      run(number);
      ++progress_->cases;
    }
    progress_->number = number;
    _exit(0);
  }

  const std::filesystem::path folder_;
  Progress* progress_ = nullptr;
  pid_t child_ = 0;
  int64_t next_ = 0;
  int64_t failed_ = -1;
  int64_t seen_ = -1;
  SteadyClock::time_point since_;
};

bool IsRefusedAllocation(const std::string& output) {
  return output.find("allocation-size-too-big") != std::string::npos ||
         output.find("AddressSanitizer: out of memory") != std::string::npos;
}

}  // namespace

Summary RunInChildren(const CaseRange& range, const std::function<void(int64_t)>& run,
                      const std::function<void(int64_t, const std::string&, const std::string&)>& report) {
  std::string pattern = (std::filesystem::temp_directory_path() / "weir_hostile_XXXXXX").string();
  WEIR_CHECK(mkdtemp(pattern.data()) != nullptr);
  const std::filesystem::path folder = pattern;
  const auto begin = SteadyClock::now();
  const int64_t end = range.first + range.count;
  Summary summary;
  std::vector<std::unique_ptr<CaseProcess>> workers;
  for (int i = 0; i < range.jobs; ++i) {
    workers.push_back(std::make_unique<CaseProcess>(i, folder));
    if (range.first + i < end) workers.back()->Start(range.first + i, end, range.jobs, run);
  }
  const auto late = [&] { return range.seconds > 0 && SteadyClock::now() - begin > Seconds(range.seconds); };
  for (bool running = true; running;) {
    running = false;
    for (const std::unique_ptr<CaseProcess>& worker : workers) {
      if (!worker->running()) continue;
      std::string what;
      const CaseProcess::End outcome = worker->Poll(range.jobs, range.deadline_seconds, &what);
      if (outcome == CaseProcess::End::kNotYet) {
        if (late()) worker->Stop();
        running = running || worker->running();
        continue;
      }
      if (outcome == CaseProcess::End::kCrash || outcome == CaseProcess::End::kHang) {
        const std::string output = worker->Output();
        if (kAsan && IsRefusedAllocation(output)) {
          ++summary.refused;
        } else {
          ++(outcome == CaseProcess::End::kCrash ? summary.crashes : summary.hangs);
          report(worker->failed(), what, output);
        }
      }
      if (worker->next() < end && !late()) {
        worker->Start(worker->next(), end, range.jobs, run);
        running = true;
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  for (const std::unique_ptr<CaseProcess>& worker : workers) summary.cases += worker->cases();
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return summary;
}

}  // namespace weir::hostile

#ifdef WEIR_HOSTILE_ASAN
// A huge allocation kills the child, because the sanitizer's operator new cannot fail. It is counted as refused.
extern "C" const char* __asan_default_options() { return "max_allocation_size_mb=1024:detect_leaks=0"; }
#endif

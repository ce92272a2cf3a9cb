// weir_hostile_ops: a fuzzer of all registered ops. Each case is one node with hostile attributes, inputs and state,
// run in a child process. Exits with 1 if a child crashed or hung.
//   weir_hostile_ops --seed 7 --cases 100000         runs the cases 0 to 99999 of a seed
//   weir_hostile_ops --seed 7 --case 4711            prints one case and runs it in this process
//   weir_hostile_ops --seed 7 --op Conv2D            runs only the cases of one op
#include <google/protobuf/stubs/logging.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string_view>

#include "base/thread_pool.h"
#include "ops/register.h"
#include "tests/hostile/run.h"
#include "tests/hostile/workers.h"

namespace weir::hostile {
namespace {

struct Flags {
  uint64_t seed = 1;
  int64_t one_case = -1;
  std::string op;
  CaseRange range{.count = 20000, .jobs = UsableCores()};
};

template <class T>
bool ReadNumber(std::string_view text, T* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

bool ReadFlags(int argc, char** argv, Flags* flags) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::string_view value = argv[i + 1];
    const bool good = name == "--seed"      ? ReadNumber(value, &flags->seed)
                      : name == "--case"    ? ReadNumber(value, &flags->one_case)
                      : name == "--cases"   ? ReadNumber(value, &flags->range.count)
                      : name == "--first"   ? ReadNumber(value, &flags->range.first)
                      : name == "--jobs"    ? ReadNumber(value, &flags->range.jobs)
                      : name == "--seconds" ? ReadNumber(value, &flags->range.seconds)
                      : name == "--op"      ? (flags->op = value, true)
                                            : false;
    if (!good) return false;
  }
  return argc % 2 == 1 && flags->range.jobs > 0;
}

constexpr int kAttempts = 3;  // per case, until the import accepts one

int ShowCase(const CaseMaker& maker, const OpRegistry& registry, const Flags& flags) {
  CaseRunner runner(registry);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const HostileCase hostile = maker.Make(flags.seed, flags.one_case, attempt);
    std::printf("%s\n%s", maker.OpOf(flags.one_case).c_str(), hostile.ToString().c_str());
    std::fflush(stdout);
    const CaseRunner::Outcome outcome = runner.Run(hostile);
    std::printf("%s", outcome.text.c_str());
    if (outcome.imported) break;
  }
  return 0;
}

int RunCases(const CaseMaker& maker, const OpRegistry& registry, const Flags& flags) {
  // Created in the child, because threads do not survive a fork.
  CaseRunner* runner = nullptr;
  const auto run = [&](int64_t number) {
    if (!flags.op.empty() && maker.OpOf(number) != flags.op) return;
    if (runner == nullptr) runner = new CaseRunner(registry);
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      if (runner->Run(maker.Make(flags.seed, number, attempt)).imported) break;
    }
  };
  std::map<std::string, int> failures;
  const Summary summary =
      RunInChildren(flags.range, run, [&](int64_t number, const std::string& what, const std::string& output) {
        std::printf("%s: %s (--seed %llu --case %lld)\n", maker.OpOf(number).c_str(), what.c_str(),
                    static_cast<unsigned long long>(flags.seed), static_cast<long long>(number));
        if (++failures[maker.OpOf(number)] <= 3) std::printf("%s\n", output.c_str());
        std::fflush(stdout);
      });
  std::printf("%lld cases of %zu ops, seed %llu: %lld crashes, %lld hangs, %lld allocations refused\n",
              static_cast<long long>(summary.cases), maker.num_ops(), static_cast<unsigned long long>(flags.seed),
              static_cast<long long>(summary.crashes), static_cast<long long>(summary.hangs),
              static_cast<long long>(summary.refused));
  return summary.crashes + summary.hangs == 0 ? 0 : 1;
}

}  // namespace
}  // namespace weir::hostile

int main(int argc, char** argv) {
  using namespace weir::hostile;
  Flags flags;
  if (!ReadFlags(argc, argv, &flags)) {
    std::fprintf(stderr,
                 "usage: %s [--seed N] [--cases N] [--first N] [--case N] [--op NAME] [--jobs N] [--seconds N]\n",
                 argv[0]);
    return 2;
  }
  // Must be set before the first allocation. Small, so that huge values fail fast.
  setenv("WEIR_MEMORY_LIMIT_MB", "256", /*overwrite=*/0);
  setenv("WEIR_LOG", "error", /*overwrite=*/0);
  google::protobuf::SetLogHandler(nullptr);
  weir::OpRegistry registry;
  weir::ops::RegisterAllOps(registry);
  const CaseMaker maker(registry);
  if (flags.one_case < 0) return RunCases(maker, registry, flags);
  std::string folder = (std::filesystem::temp_directory_path() / "weir_hostile_XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr || chdir(folder.c_str()) != 0) return 2;
  const int code = ShowCase(maker, registry, flags);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return code;
}

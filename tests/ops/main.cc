// weir_tests_ops [--remote|--simulated|--gpu|--fake-gpu] [FOLDER]: every case of the *.optest files in FOLDER (default
// tests/ops) is a test, run in every mode. With --remote, cases run on a server in another process; with --simulated,
// on other tasks of a simulated cluster (WEIR_SIM_SEED=n selects another seed). With --gpu or --fake-gpu, nodes run on
// the GPU of this machine, or on a fake one, if they have a kernel there; a table at the end says which ops did. Cases
// in which no node can are skipped.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "absl/strings/str_join.h"
#include "base/environment.h"
#include "base/rng.h"
#include "ops/register.h"
#include "runtime/local_devices.h"
#include "runtime/local_session.h"
#include "tests/ops/coverage.h"
#include "tests/ops/gpu_use.h"
#include "tests/ops/remote.h"
#include "tests/ops/run.h"
#include "tests/ops/simulated.h"

namespace weir::optest {
namespace {

// Shared by all tests. Created by main; outlives them.
class Bench final {
 public:
  enum class Where { kHere, kRemote, kSimulated, kGpu };
  explicit Bench(Where where) {
    ops::RegisterAllOps(registry_);
    if (where == Where::kRemote) {
      remote_ = std::make_unique<RemoteCluster>(registry_, "/proc/self/exe");
      modes_.push_back(remote_->Mode());
      return;
    }
    if (where == Where::kSimulated) {
      const int64_t seed = ReadEnvironmentOr({"WEIR_SIM_SEED", "a seed", 0}, 1);
      simulated_ = std::make_unique<SimulatedCluster>(registry_, static_cast<uint64_t>(seed));
      modes_ = simulated_->Modes();
      return;
    }
    if (where == Where::kGpu) {
      // Without the optimizer, which would compute constants on the CPU.
      modes_.push_back(Local("on a GPU", two_threads_, WithoutOptimizer()));
      modes_.back().observe = [this](const tensorflow::RunMetadata& step) { gpu_use_.Add(step); };
      return;
    }
    modes_.push_back(Local("optimized", two_threads_, {}));
    modes_.push_back(Local("optimizer off", two_threads_, WithoutOptimizer()));
    modes_.back().checks_gradients = false;
    tensorflow::ConfigProto single;
    single.set_inter_op_parallelism_threads(1);
    modes_.push_back(Local("one thread", one_thread_, single));
    modes_.back().checks_gradients = false;
    modes_.push_back(Local("unknown shapes", two_threads_, {}));
    modes_.back().known_shapes = false;
  }
  const OpRegistry& registry() const { return registry_; }
  const std::vector<RunMode>& modes() const { return modes_; }
  Coverage& coverage() { return coverage_; }
  // Null unless cases run on a GPU.
  GpuUse* gpu_use() { return modes_[0].observe ? &gpu_use_ : nullptr; }

  // Groups ops by their folder of src/ops. Ops that are in no folder's list are "other".
  Groups OpGroups() const {
    Groups groups;
    std::set<std::string> seen;
    const std::pair<const char*, void (*)(OpRegistry&)> lists[] = {
        {"math", ops::RegisterMathOps},   {"array", ops::RegisterArrayOps},   {"nn", ops::RegisterNnOps},
        {"state", ops::RegisterStateOps}, {"flow", ops::RegisterFlowOps},     {"queue", ops::RegisterQueueOps},
        {"data", ops::RegisterDataOps},   {"string", ops::RegisterStringOps}, {"io", ops::RegisterIoOps},
        {"comm", ops::RegisterCommOps}};
    for (const auto& [name, add] : lists) {
      OpRegistry group;
      add(group);
      groups[name] = group.Names();
      seen.insert(groups[name].begin(), groups[name].end());
    }
    for (const std::string& name : registry_.Names()) {
      if (seen.count(name) == 0) groups["other"].push_back(name);
    }
    return groups;
  }

 private:
  RunMode Local(std::string name, ThreadPool& pool, tensorflow::ConfigProto config) {
    RunMode mode{.name = std::move(name)};
    mode.open = [this, &pool, config](std::shared_ptr<Graph> graph) -> Result<std::unique_ptr<Session>> {
      return std::make_unique<LocalSession>(
          std::move(graph), LocalSession::Dependencies{pool, blocking_pool_, RealEnv(), nullptr, config});
    };
    return mode;
  }

  static tensorflow::ConfigProto WithoutOptimizer() {
    tensorflow::ConfigProto config;
    config.mutable_graph_options()->mutable_optimizer_options()->set_opt_level(tensorflow::OptimizerOptions::L0);
    config.mutable_graph_options()->mutable_rewrite_options()->set_disable_meta_optimizer(true);
    return config;
  }

  GpuUse gpu_use_{registry_};
  OpRegistry registry_;
  ThreadPool two_threads_{"optest", 2};
  ThreadPool one_thread_{"optest_one", 1};
  ElasticPool blocking_pool_{"optest_blocking"};
  std::unique_ptr<RemoteCluster> remote_;
  std::unique_ptr<SimulatedCluster> simulated_;
  std::vector<RunMode> modes_;
  Coverage coverage_;
};

class CaseTest final : public ::testing::Test {
 public:
  CaseTest(Bench& bench, std::shared_ptr<const File> file, size_t index)
      : bench_(bench), file_(std::move(file)), case_(file_->cases[index]) {}
  void TestBody() override {
    std::map<std::pair<int, std::string>, std::vector<std::string>> problems;  // (line, text) -> modes
    for (const RunMode& mode : bench_.modes()) {
      if ((case_.known_shapes_only && !mode.known_shapes) || (case_.one_task_only && mode.spread)) continue;
      if (GpuUse* const use = bench_.gpu_use(); use != nullptr && !use->Begins(*file_, case_))
        GTEST_SKIP() << "no op of the case has a GPU kernel";
      const Outcome outcome = RunCase(bench_.registry(), *file_, case_, mode);
      if (GpuUse* const use = bench_.gpu_use()) use->End(outcome.problems.empty());
      if (!outcome.skipped.empty()) GTEST_SKIP() << "in this build there is " << outcome.skipped;
      for (const Problem& problem : outcome.problems) problems[{problem.line, problem.text}].push_back(mode.name);
    }
    for (const auto& [problem, modes] : problems) {
      const bool everywhere = modes.size() == bench_.modes().size();
      ADD_FAILURE_AT(file_->name.c_str(), problem.first)
          << case_.title << (everywhere ? "" : " [" + absl::StrJoin(modes, ", ") + "]") << ": " << problem.second;
    }
  }

 private:
  Bench& bench_;
  const std::shared_ptr<const File> file_;
  const Case& case_;
};

class FailedTest final : public ::testing::Test {
 public:
  explicit FailedTest(std::string text) : text_(std::move(text)) {}
  void TestBody() override { FAIL() << text_; }

 private:
  const std::string text_;
};

class CoverageTest final : public ::testing::Test {
 public:
  CoverageTest(Bench& bench, std::string reasons) : bench_(bench), reasons_(std::move(reasons)) {}
  void TestBody() override {
    const CoverageReport report = CheckCoverage(bench_.registry(), bench_.OpGroups(), bench_.coverage(), reasons_);
    for (const std::string& line : report.todo) std::cout << "to do: " << line << "\n";
    for (const std::string& line : report.wrong) ADD_FAILURE() << line;
  }

 private:
  Bench& bench_;
  const std::string reasons_;
};

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

void Register(const std::string& suite, const std::string& name, std::function<::testing::Test*()> make) {
  ::testing::RegisterTest(suite.c_str(), name.c_str(), nullptr, nullptr, __FILE__, __LINE__, std::move(make));
}

void RegisterFiles(Bench& bench, const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".optest") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const std::filesystem::path& path : paths) {
    const std::string suite = path.stem().string();
    Result<File> parsed = ParseFile(bench.registry(), path.string(), ReadAll(path));
    if (!parsed.ok()) {
      Register(suite, "parses", [status = parsed.status()] { return new FailedTest(std::string(status.message())); });
      continue;
    }
    AddCoverage(bench.registry(), *parsed, &bench.coverage());
    auto file = std::make_shared<const File>(*std::move(parsed));
    for (size_t i = 0; i < file->cases.size(); ++i) {
      Register(suite, fmt::format("{} {}", file->cases[i].line, file->cases[i].title),
               [&bench, file, i] { return new CaseTest(bench, file, i); });
    }
  }
  Register("Coverage", "EveryOp",
           [&bench, reasons = ReadAll(folder / "reasons.txt")] { return new CoverageTest(bench, reasons); });
}

bool HasGpu() {
  for (const auto& device : MakeLocalDevices({}, "/job:localhost/replica:0/task:0", RealRng(), &RealEnv())) {
    if (device->kind() == "GPU") return true;
  }
  return false;
}

}  // namespace
}  // namespace weir::optest

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc == 4 && std::string_view(argv[1]) == "--serve") return weir::optest::ServeOther(argv[2], argv[3]);
  using Where = weir::optest::Bench::Where;
  Where where = Where::kHere;
  if (argc > 1 && std::string_view(argv[1]) == "--remote") where = Where::kRemote;
  if (argc > 1 && std::string_view(argv[1]) == "--simulated") where = Where::kSimulated;
  const bool fake = argc > 1 && std::string_view(argv[1]) == "--fake-gpu";
  if (fake) setenv("WEIR_FAKE_GPUS", "1", 1);
  if (fake || (argc > 1 && std::string_view(argv[1]) == "--gpu")) where = Where::kGpu;
  if (where == Where::kGpu) setenv("WEIR_GPUS", "1", 0);
  if (where != Where::kHere) ++argv, --argc;
  if (where == Where::kGpu && !weir::optest::HasGpu()) {
    std::cerr << "weir_tests_ops: this machine has no GPU that can be used\n";
    return 2;
  }
  weir::optest::Bench bench(where);
  weir::optest::RegisterFiles(bench, argc > 1 ? argv[1] : "tests/ops");
  const int result = RUN_ALL_TESTS();
  if (bench.gpu_use() == nullptr) return result;
  std::cout << bench.gpu_use()->Table();
  return result;
}

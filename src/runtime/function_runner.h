// LocalFunctionRunner: runs functions of a library in this process, each as a plan of its own, compiled on its first
// run. Bodies share the step of their caller: its resources, its rendezvous, its cancellation. Thread-safe.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "graph/function_library.h"
#include "op/function_runner.h"
#include "runtime/executor.h"

namespace weir {

// What keeps a function that calls itself without end from taking all memory.
struct CallLimits {
  // How deeply calls may nest.
  int depth = 10'000;
  // How many calls may be in flight at the same time, for functions that call themselves more than once. Calls that
  // nest a few levels only are not counted.
  int64_t in_flight = 100'000;

  // The environment variables WEIR_MAX_CALL_DEPTH and WEIR_MAX_CALLS, or else the defaults.
  static CallLimits FromEnvironment();
};

class LocalFunctionRunner final : public FunctionRunner {
 public:
  struct Options {
    Env& env;  // what kernels of functions are made with; outlives the runner
    PlacerOptions placer;
    PassOptions passes = {};
    CallLimits limits = CallLimits::FromEnvironment();
    std::shared_ptr<const void> kept = nullptr;  // what the options point to
  };
  using Devices = std::vector<std::unique_ptr<Device>>;
  // Functions of the graph's library. The runner keeps all that it needs, since it may outlive its session: an iterator
  // with a shared name, or a kernel that could not be interrupted, holds it.
  LocalFunctionRunner(std::shared_ptr<const Graph> graph, std::shared_ptr<const Devices> devices,
                      std::shared_ptr<ResourceManager> resources, Options options);
  ~LocalFunctionRunner() override;

  // Only looks the function up: a function that calls itself is fine.
  Result<Handle> Instantiate(const FuncAttr& function) override;
  std::shared_ptr<FunctionRunner> Anew() override;
  void Run(Handle handle, StepContext& step, std::vector<Tensor> args, Done done) override;
  Result<std::vector<Tensor>> RunAndWait(Handle handle, StepContext& step, std::vector<Tensor> args) override;

 private:
  struct Function;
  Result<std::shared_ptr<Executor>> Compile(Function& function);
  // The executor of a function that may be called with `args` at this depth.
  Result<std::shared_ptr<Executor>> Prepare(Handle handle, int depth, const std::vector<Tensor>& args);

  const std::shared_ptr<const Graph> graph_;
  const FunctionLibrary& library_;  // the graph's
  const OpRegistry& registry_;
  const std::shared_ptr<const Devices> devices_;
  const std::shared_ptr<ResourceManager> resources_;
  const Options options_;
  KernelCache kernels_;
  std::atomic<int64_t> calls_in_flight_{0};
  std::mutex mu_;
  std::deque<std::unique_ptr<Function>> functions_;   // by handle
  absl::flat_hash_map<std::string, Handle> by_name_;  // with attributes
};

}  // namespace weir

// LocalFunctionRunner: runs functions of a library in this process. Each function has its own plan, compiled on the
// first call. A call shares resources, rendezvous and cancellation with the step of its caller. Thread-safe.
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

// Limits that keep an endless recursion from using all memory.
struct CallLimits {
  // The maximum nesting depth of calls.
  int depth = 20'000;
  // The maximum number of calls in flight, for functions that call themselves more than once. Calls with a small
  // nesting depth are not counted.
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
    std::shared_ptr<const void> kept = nullptr;  // owns the targets of pointers in the options
  };
  using Devices = std::vector<std::unique_ptr<Device>>;
  // Runs functions of the graph's library. The runner owns all that it needs, because it may outlive its session: an
  // iterator with a shared name or a kernel that could not be interrupted may hold it.
  LocalFunctionRunner(std::shared_ptr<const Graph> graph, std::shared_ptr<const Devices> devices,
                      std::shared_ptr<ResourceManager> resources, Options options);
  ~LocalFunctionRunner() override;

  // Does not compile the function, so a function may instantiate itself.
  Result<Handle> Instantiate(const FuncAttr& function) override;
  std::shared_ptr<FunctionRunner> WithFreshKernels() override;
  void Run(Handle handle, StepContext& step, std::vector<Tensor> args, Done done) override;
  Result<std::vector<Tensor>> RunAndWait(Handle handle, StepContext& step, std::vector<Tensor> args) override;

 private:
  struct Function;
  Result<std::shared_ptr<Executor>> Compile(Function& function);
  // Checks the arguments and limits of a call and returns the executor of the function.
  Result<std::shared_ptr<Executor>> Prepare(Handle handle, int depth, const std::vector<Tensor>& args);

  const std::shared_ptr<const Graph> graph_;
  const FunctionLibrary& library_;  // of graph_
  const OpRegistry& registry_;
  const std::shared_ptr<const Devices> devices_;
  const std::shared_ptr<ResourceManager> resources_;
  const Options options_;
  KernelCache kernels_;
  std::atomic<int64_t> calls_in_flight_{0};
  std::mutex mu_;
  std::deque<std::unique_ptr<Function>> functions_;   // by handle
  absl::flat_hash_map<std::string, Handle> by_name_;  // by name and attributes (CanonicalName)
};

}  // namespace weir

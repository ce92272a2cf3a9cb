// LocalFunctionRunner: runs functions of a library in this process, each as a plan of its own, compiled on its first
// run. Bodies share the step of their caller: its resources, its rendezvous, its cancellation. Thread-safe.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "graph/function_library.h"
#include "op/function_runner.h"
#include "runtime/executor.h"

namespace weir {

class LocalFunctionRunner final : public FunctionRunner {
 public:
  struct Options {
    PlacerOptions placer;
    PassOptions passes = {};
  };
  // All references outlive the runner.
  LocalFunctionRunner(const FunctionLibrary& library, const OpRegistry& registry,
                      const std::vector<std::unique_ptr<Device>>& devices, ResourceManager* resources, Options options);
  ~LocalFunctionRunner() override;

  // Only looks the function up: a function that calls itself is fine.
  Result<Handle> Instantiate(const FuncAttr& function) override;
  void Run(Handle handle, StepContext& step, std::vector<Tensor> args, Done done) override;

 private:
  struct Function;
  Result<std::shared_ptr<Executor>> Compile(Function& function);

  const FunctionLibrary& library_;
  const OpRegistry& registry_;
  const std::vector<std::unique_ptr<Device>>& devices_;
  const Options options_;
  KernelCache kernels_;
  std::mutex mu_;
  std::deque<std::unique_ptr<Function>> functions_;   // by handle
  absl::flat_hash_map<std::string, Handle> by_name_;  // with attributes
};

}  // namespace weir

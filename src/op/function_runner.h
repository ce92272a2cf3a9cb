// FunctionRunner: lets a kernel call a function of the graph's library (If, While, PartitionedCall, dataset maps).
// Thread-safe. An instantiated function lives as long as the runner.
#ifndef WEIR_OP_FUNCTION_RUNNER_H_
#define WEIR_OP_FUNCTION_RUNNER_H_

#include <functional>
#include <memory>
#include <vector>

#include "op/attr_value.h"

namespace weir {

struct StepContext;

// The amount that a call that blocks its thread adds to StepContext::call_depth. Large, so that only a few can nest.
constexpr int kBlockingCallDepth = 100;

class FunctionRunner {
 public:
  using Handle = int;
  using Done = std::function<void(Result<std::vector<Tensor>>)>;
  virtual ~FunctionRunner() = default;
  // A function of the library, or the gradient of one: "SymbolicGradient" with the function in attribute "f".
  virtual Result<Handle> Instantiate(const FuncAttr& function) = 0;
  // A runner of the same functions with new kernels, so that seeded random generators start over. Null if no function
  // has a kernel with such state.
  virtual std::shared_ptr<FunctionRunner> WithFreshKernels() = 0;
  // Runs with the step's cancellation and resources. `done` may run on any thread, including this one before Run
  // returns. ResourceExhausted if calls nest too deeply or too many are in flight.
  virtual void Run(Handle handle, StepContext& step, std::vector<Tensor> args, Done done) = 0;
  // Blocks until the results are available.
  virtual Result<std::vector<Tensor>> RunAndWait(Handle handle, StepContext& step, std::vector<Tensor> args) = 0;
};

}  // namespace weir

#endif  // WEIR_OP_FUNCTION_RUNNER_H_

// FunctionRunner: how a kernel calls a function of the graph's library (If, While, PartitionedCall, dataset maps).
// Thread-safe. An instantiated function lives as long as the runner.
#ifndef WEIR_OP_FUNCTION_RUNNER_H_
#define WEIR_OP_FUNCTION_RUNNER_H_

#include <functional>
#include <memory>
#include <vector>

#include "op/attr_value.h"

namespace weir {

struct StepContext;

// By how much a call that holds a thread while it runs adds to StepContext::call_depth, so that few of them nest.
constexpr int kDepthOfBlockingCall = 50;

class FunctionRunner {
 public:
  using Handle = int;
  using Done = std::function<void(Result<std::vector<Tensor>>)>;
  virtual ~FunctionRunner() = default;
  // A function of the library, or the gradient of one: "SymbolicGradient", whose attribute "f" says of which.
  virtual Result<Handle> Instantiate(const FuncAttr& function) = 0;
  // A runner of the same functions whose kernels begin anew (random generators with a seed start over); null where no
  // function has a kernel with such a state.
  virtual std::shared_ptr<FunctionRunner> Anew() = 0;
  // Runs with the step's cancellation and resources; `done` may run on any thread, also on this one before Run returns.
  // ResourceExhausted when calls nest too deeply, or too many are in flight.
  virtual void Run(Handle handle, StepContext& step, std::vector<Tensor> args, Done done) = 0;
  // The same, and blocks this thread until the results are there.
  virtual Result<std::vector<Tensor>> RunAndWait(Handle handle, StepContext& step, std::vector<Tensor> args) = 0;
};

}  // namespace weir

#endif  // WEIR_OP_FUNCTION_RUNNER_H_

// PyFunc and its variants call a Python function. They differ only in what the graph may assume about the function.
#include "op/py_func.h"

#include "op/gradient_context.h"
#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"

namespace weir::ops {
namespace {

template <bool eager>
Result<Kernel> MakePyFunc(KernelSetup& setup) {
  WEIR_ASSIGN(std::string token, setup.Attr<std::string>("token"));
  WEIR_ASSIGN(std::vector<DType> types, setup.Attr<std::vector<DType>>("Tout"));
  return Kernel::Sync([token, types](KernelContext& ctx) -> Status {
           PyFuncRunner* runner = ctx.step().py_functions;
           if (runner == nullptr)
             return FailedPrecondition(
                 "node '{}' calls the Python function '{}', but this process has no Python interpreter: place it on "
                 "the task that created it",
                 ctx.name(), token);
           std::vector<Tensor> inputs;
           for (int i = 0; i < ctx.num_inputs(); ++i) inputs.push_back(ctx.input(i));
           WEIR_ASSIGN(std::vector<Tensor> outputs, runner->Call(token, inputs, types, eager));
           if (outputs.size() != types.size())
             return InvalidArgument("{} returns {} values, but expects to see {} values.", token, outputs.size(),
                                    types.size());
           for (size_t i = 0; i < types.size(); ++i) {
             if (outputs[i].dtype() != types[i])
               return InvalidArgument("{}-th value returned by {} is {}, but expects {}", i, token, outputs[i].dtype(),
                                      types[i]);
             ctx.set_output(static_cast<int>(i), std::move(outputs[i]));
           }
           return OkStatus();
         })
      .Blocking();
}

}  // namespace

void RegisterPyFunc(OpRegistry& registry) {
  struct Row {
    const char* name;
    bool stateful;
    bool eager;
  };
  for (const Row& row :
       {Row{"PyFunc", true, false}, Row{"PyFuncStateless", false, false}, Row{"EagerPyFunc", true, true}}) {
    registry.Add({
        .name = row.name,
        .signature = "input: Tin -> output: Tout",
        .attrs = {"token: string", "Tin: list(type) >= 0", "Tout: list(type) >= 0"},
        .shape = UnknownOutputs(),
        .no_gradient = kNoGradient,
        .kernels = CpuKernel(row.eager ? MakePyFunc<true> : MakePyFunc<false>),
        .traits = {.may_block = true, .keeps_inputs = true},
        .stateful = row.stateful,
    });
  }
}

}  // namespace weir::ops

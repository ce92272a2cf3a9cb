// Ops without data inputs or outputs: NoOp and ControlTrigger exist for their control edges, Abort ends the process.
#include <cstdlib>

#include "base/log.h"
#include "op/gpu_kernel.h"
#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"

namespace weir::ops {
namespace {

Result<Kernel> MakeNoOp(KernelSetup&) {
  return Kernel::Sync([](KernelContext&) -> Status { return OkStatus(); }).Cheap();
}

Result<Kernel> MakeAbort(KernelSetup& setup) {
  WEIR_ASSIGN(std::string message, setup.Attr<std::string>("error_msg"));
  WEIR_ASSIGN(const bool quiet, setup.Attr<bool>("exit_without_error"));
  return Kernel::Sync([message, quiet](KernelContext& ctx) -> Status {
    if (!ctx.step().may_end_process) {
      return MakeStatus(StatusCode::kPermissionDenied,
                        "graphs may not end the process of a server. To allow it, set WEIR_ALLOW_ABORT=1 there");
    }
    if (quiet) {
      LogWarning("Abort op '{}' terminates the process", ctx.name());
      std::_Exit(0);
    }
    LogError("Abort_op intentional failure; {}", message);
    std::abort();
  });
}

}  // namespace

void RegisterNoOp(OpRegistry& registry) {
  registry.Add({.name = "NoOp",
                .signature = "->",
                .shape = NoOutputs(),
                .kernels = HostOnGpu(CpuKernel(MakeNoOp)),
                .traits = {.brief = true}});
  registry.Add({.name = "ControlTrigger",
                .signature = "->",
                .shape = NoOutputs(),
                .kernels = HostOnGpu(CpuKernel(MakeNoOp)),
                .traits = {.kind = NodeKind::kTrigger}});
  registry.Add({
      .name = "Abort",
      .signature = "->",
      .attrs = {"error_msg: string = ''", "exit_without_error: bool = false"},
      .shape = NoOutputs(),
      .kernels = CpuKernel(MakeAbort),
  });
}

}  // namespace weir::ops

// _CopyToHost and _CopyToGpu move a value between host memory and the memory of the GPU that the node is placed on.
// passes/place_memory.cc creates them.
#include "device/gpu_device.h"
#include "device/gpu_memory.h"
#include "op/op_registry.h"
#include "op/shape_context.h"

namespace weir::ops {
namespace {

Result<Kernel> MakeCopyToHost(KernelSetup&, GpuDevice&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(Tensor copy, CopyToHost(ctx.input(0)));
           ctx.set_output(0, std::move(copy));
           return OkStatus();
         })
      .Blocking();
}

Result<Kernel> MakeCopyToGpu(KernelSetup&, GpuDevice& gpu) {
  WEIR_ASSIGN(std::shared_ptr<GpuStream> stream, gpu.stream());
  return Kernel::Sync([stream = std::move(stream)](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(Tensor copy, CopyToGpu(stream, ctx.input(0)));
           ctx.set_output(0, std::move(copy));
           return OkStatus();
         })
      .Cheap();
}

// On a CPU both ends are the same memory.
Result<Kernel> MakeForward(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           ctx.set_output(0, ctx.input(0));
           return OkStatus();
         })
      .Cheap();
}

void Register(OpRegistry& registry, const char* name, GpuKernel::Make make, const char* host_end) {
  registry.Add({
      .name = name,
      .signature = "x: T -> y: T",
      .attrs = {"T: type"},
      .shape = SameAsInput(0),
      .kernels =
          WithGpu(CpuKernel(MakeForward),
                  {.make = make, .types = kGpuPlain | TypeSet{kInt32}, .runs = GpuKernel::Runs::kCopies}, {host_end}),
      .traits = kOwnMemory,
  });
}

}  // namespace

void RegisterCopyMemory(OpRegistry& registry) {
  Register(registry, "_CopyToHost", MakeCopyToHost, "y");
  Register(registry, "_CopyToGpu", MakeCopyToGpu, "x");
}

}  // namespace weir::ops

// Ops that forward their input. All but DeepCopy share its memory.
#include "device/gpu_device.h"
#include "op/gpu_kernel.h"
#include "op/gradient_context.h"
#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"

namespace weir::ops {
namespace {

Result<Kernel> MakeIdentity(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           for (int i = 0; i < ctx.num_inputs(); ++i) ctx.set_output(i, ctx.input(i));
           return OkStatus();
         })
      .Cheap();
}

Result<Kernel> MakeDeepCopy(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(Tensor copy, ctx.input(0).Clone());
    ctx.set_output(0, std::move(copy));
    return OkStatus();
  });
}

Result<Kernel> MakeGpuDeepCopy(KernelSetup&, GpuDevice& gpu) {
  WEIR_ASSIGN(std::shared_ptr<GpuStream> stream, gpu.stream());
  return Kernel::Sync([&gpu, stream = std::move(stream)](KernelContext& ctx) -> Status {
    const Tensor& from = ctx.input(0);
    WEIR_ASSIGN(const Tensor copy, gpu.Allocate(ctx, 0, from.shape()));
    return stream->CopyOnDevice(copy.raw(), from.raw(), from.num_bytes());
  });
}

KernelList DeepCopyKernels() {
  return WithGpu(CpuKernel(MakeDeepCopy),
                 {.make = MakeGpuDeepCopy, .types = kGpuPlain, .runs = GpuKernel::Runs::kCopies});
}

Result<Kernel> MakeEnsureShape(KernelSetup& setup) {
  WEIR_ASSIGN(PartialShape wanted, setup.Attr<PartialShape>("shape"));
  return Kernel::Sync([wanted](KernelContext& ctx) -> Status {
           if (!wanted.CompatibleWith(ctx.input(0).shape()))
             return InvalidArgument("Shape of tensor is not compatible with expected shape: {} is not {}",
                                    ctx.input(0).shape(), wanted);
           ctx.set_output(0, ctx.input(0));
           return OkStatus();
         })
      .Cheap();
}

Status EnsureShapeShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape wanted, ctx.Attr<PartialShape>("shape"));
  WEIR_ASSIGN(PartialShape both, ctx.input(0).Merge(wanted));
  ctx.set_output(0, std::move(both));
  return OkStatus();
}

Status IdentityNShape(ShapeContext& ctx) {
  for (int i = 0; i < ctx.num_inputs(); ++i) ctx.set_output(i, ctx.input(i));
  return OkStatus();
}

Result<Gradients> PassOn(GradientContext& g) {
  Gradients out;
  for (int i = 0; i < g.num_outputs(); ++i) out.push_back(g.raw_d_output(i));
  return out;
}

Result<Gradients> RejectGradient(GradientContext& g) {
  WEIR_ASSIGN(std::string message, g.Attr<std::string>("message"));
  // NotFound becomes Python's LookupError, which callers expect of a prevented gradient.
  return NotFound("Gradient explicitly disabled. Reason: {}", message);
}

}  // namespace

void RegisterIdentity(OpRegistry& registry) {
  registry.Add({
      .name = "Identity",
      .signature = "input: T -> output: T",
      .attrs = {"T: type"},
      .shape = SameAsInput(0),
      .gradient = PassOn,
      .kernels = ForwardsOnGpu(CpuKernel(MakeIdentity)),
      .traits =
          {.memory = OutputMemory::kForwardsFirst, .brief = true, .identity = true, .shape_value = ShapeValue::kSame},
  });
  registry.Add({
      .name = "EnsureShape",
      .signature = "input: T -> output: T",
      .attrs = {"shape: shape", "T: type"},
      .shape = EnsureShapeShape,
      .gradient = PassOn,
      .kernels = ForwardsOnGpu(CpuKernel(MakeEnsureShape)),
      .traits = {.checks = true},
  });
  registry.Add({
      .name = "IdentityN",
      .signature = "input: T -> output: T",
      .attrs = {"T: list(type) >= 1"},
      .shape = IdentityNShape,
      .gradient = PassOn,
      .kernels = ForwardsOnGpu(CpuKernel(MakeIdentity)),
      .traits = {.memory = OutputMemory::kForwardsAll},
  });
  registry.Add({
      .name = "Snapshot",
      .signature = "input: T -> output: T",
      .attrs = {"T: type"},
      .shape = SameAsInput(0),
      .gradient = PassOn,
      .kernels = DeepCopyKernels(),
      .traits = {.memory = OutputMemory::kOwn, .identity = true},
  });
  registry.Add({
      .name = "StopGradient",
      .signature = "input: T -> output: T",
      .attrs = {"T: type"},
      .shape = SameAsInput(0),
      .no_gradient = kNoGradient,
      .kernels = ForwardsOnGpu(CpuKernel(MakeIdentity)),
      .traits = kForwardsInput,
  });
  registry.Add({
      .name = "PreventGradient",
      .signature = "input: T -> output: T",
      .attrs = {"T: type", "message: string = ''"},
      .shape = SameAsInput(0),
      .gradient = RejectGradient,
      .kernels = ForwardsOnGpu(CpuKernel(MakeIdentity)),
      .traits = kForwardsInput,
  });
  registry.Add({
      .name = "DeepCopy",
      .signature = "x: T -> y: T",
      .attrs = {"T: type"},
      .shape = SameAsInput(0),
      .kernels = DeepCopyKernels(),
      .traits = {.memory = OutputMemory::kOwn, .may_block = false, .keeps_inputs = false, .identity = true},
      .stateful = true,
  });
  registry.Add({
      .name = "GuaranteeConst",
      .signature = "input: T -> output: T",
      .attrs = {"T: type"},
      .shape = SameAsInput(0),
      .gradient = PassOn,
      .kernels = ForwardsOnGpu(CpuKernel(MakeIdentity)),
      .traits = {.memory = OutputMemory::kForwardsFirst, .may_block = false},
      .stateful = true,
  });
}

}  // namespace weir::ops

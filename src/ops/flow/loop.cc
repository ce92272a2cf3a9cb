// The boundaries of a loop's frame: Enter, Exit, NextIteration, LoopCond. The executor moves values between frames and
// iterations; the kernels only forward their input.
#include "op/gpu_kernel.h"
#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"

namespace weir::ops {
namespace {

Result<Kernel> MakeForward(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           if (ctx.raw_input(0).is_ref() && IsRef(ctx.declared_output_type(0))) {
             ctx.ForwardRef(0, 0);
           } else {
             ctx.set_output(0, ctx.input(0));
           }
           return OkStatus();
         })
      .Cheap();
}

// A loop variable may change its shape from one iteration to the next, so only loop constants keep their shape.
Status EnterShape(ShapeContext& c) {
  WEIR_ASSIGN(const bool is_constant, c.Attr<bool>("is_constant"));
  if (is_constant) c.set_output(0, c.input(0));
  return OkStatus();
}

Status LoopCondShape(ShapeContext& c) {
  WEIR_TRY(c.WithRank(0, 0).status());
  c.set_output(0, PartialShape::Scalar());
  return OkStatus();
}

std::vector<std::string> EnterAttrs() {
  return {"T: type", "frame_name: string", "is_constant: bool = false", "parallel_iterations: int = 10"};
}

}  // namespace

void RegisterLoop(OpRegistry& registry) {
  registry.Add({
      .name = "Enter",
      .signature = "data: T -> output: T",
      .attrs = EnterAttrs(),
      .shape = EnterShape,
      .kernels = ForwardsOnGpu(CpuKernel(MakeForward)),
      .traits = {.kind = NodeKind::kEnter, .memory = OutputMemory::kForwardsFirst},
  });
  registry.Add({
      .name = "RefEnter",
      .signature = "data: Ref(T) -> output: Ref(T)",
      .attrs = EnterAttrs(),
      .shape = SameAsInput(0),
      .kernels = ForwardsOnGpu(CpuKernel(MakeForward)),
      .traits = {.kind = NodeKind::kEnter, .memory = OutputMemory::kForwardsFirst},
  });
  struct Row {
    const char* name;
    const char* signature;
    NodeKind kind;
  };
  for (const Row& row : {Row{"Exit", "data: T -> output: T", NodeKind::kExit},
                         Row{"RefExit", "data: Ref(T) -> output: Ref(T)", NodeKind::kExit},
                         Row{"NextIteration", "data: T -> output: T", NodeKind::kNextIteration},
                         Row{"RefNextIteration", "data: Ref(T) -> output: Ref(T)", NodeKind::kNextIteration}}) {
    registry.Add({
        .name = row.name,
        .signature = row.signature,
        .attrs = {"T: type"},
        .shape = SameAsInput(0),
        .kernels = ForwardsOnGpu(CpuKernel(MakeForward)),
        .traits = {.kind = row.kind, .memory = OutputMemory::kForwardsFirst},
    });
  }
  registry.Add({
      .name = "LoopCond",
      .signature = "input: bool -> output: bool",
      .shape = LoopCondShape,
      .kernels = HostOnGpu(CpuKernel(MakeForward)),
      .traits = {.kind = NodeKind::kLoopCond},
  });
}

}  // namespace weir::ops

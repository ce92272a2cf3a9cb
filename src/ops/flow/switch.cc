// Switch forwards its data to one of two outputs and marks the other one dead; Merge forwards the live input. The
// executor decides which nodes run on dead inputs.
#include "op/gpu_kernel.h"
#include "op/gradient_context.h"
#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"

namespace weir::ops {
namespace {

void ForwardInput(KernelContext& ctx, int input, int output) {
  const EdgeValue& value = ctx.raw_input(input);
  if (value.is_ref() && IsRef(ctx.declared_output_type(output))) {
    ctx.ForwardRef(input, output);
  } else {
    ctx.set_output(output, value.tensor);
  }
}

Result<Kernel> MakeSwitch(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           const Tensor& pred = ctx.input(1);
           if (pred.rank() != 0) {
             return InvalidArgument("The second input must be a scalar, but it has shape {}", pred.shape());
           }
           const int taken = pred.scalar<bool>() ? 1 : 0;
           ForwardInput(ctx, 0, taken);
           ctx.set_dead(1 - taken);
           return OkStatus();
         })
      .Cheap();
}

Status SwitchShape(ShapeContext& c) {
  WEIR_TRY(c.WithRank(1, 0).status());
  c.set_output(0, c.input(0));
  c.set_output(1, c.input(0));
  return OkStatus();
}

// The executor leaves dead inputs empty.
Result<Kernel> MakeMergeOp(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           for (int i = 0; i < ctx.num_inputs(); ++i) {
             const EdgeValue& value = ctx.raw_input(i);
             if (!value.is_ref() && !value.tensor.valid()) continue;
             ForwardInput(ctx, i, 0);
             ctx.set_output(1, Tensor::Scalar(int32_t{i}));
             return OkStatus();
           }
           return Internal("internal error: all inputs of Merge node '{}' are dead", ctx.name());
         })
      .Cheap();
}

// Dimensions on which the inputs disagree are unknown.
Status MergeShape(ShapeContext& c) {
  PartialShape shape = c.input(0);
  for (int i = 1; i < c.num_inputs() && shape.known_rank(); ++i) {
    const PartialShape& other = c.input(i);
    if (other.rank() != shape.rank()) {
      shape = PartialShape();
      break;
    }
    for (int d = 0; d < shape.rank(); ++d)
      if (shape[d] != other[d]) shape.SetDim(d, kUnknownDim);
  }
  c.set_output(0, std::move(shape));
  c.set_output(1, PartialShape::Scalar());
  return OkStatus();
}

Result<Kernel> MakeRefSelect(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           const Tensor& index = ctx.input(0);
           if (index.rank() != 0) {
             return InvalidArgument("Index must be a scalar, but it has shape {}", index.shape());
           }
           const int32_t which = index.scalar<int32_t>();
           if (which < 0 || which >= ctx.num_inputs() - 1) {
             return InvalidArgument("Index must be in the range [0, {}) but got {}", ctx.num_inputs() - 1, which);
           }
           ctx.ForwardRef(which + 1, 0);
           return OkStatus();
         })
      .Cheap();
}

Status RefSelectShape(ShapeContext& c) {
  WEIR_TRY(c.WithRank(0, 0).status());
  PartialShape first = c.input(1);
  for (int i = 2; i < c.num_inputs(); ++i)
    if (!first.fully_defined() || !(c.input(i) == first)) return OkStatus();
  if (first.fully_defined()) c.set_output(0, std::move(first));
  return OkStatus();
}

Result<Kernel> MakeRefIdentity(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           ctx.ForwardRef(0, 0);
           return OkStatus();
         })
      .Cheap();
}

}  // namespace

void RegisterSwitch(OpRegistry& registry) {
  registry.Add({
      .name = "Switch",
      .signature = "data: T, pred: bool -> output_false: T, output_true: T",
      .attrs = {"T: type"},
      .shape = SwitchShape,
      .kernels = ForwardsOnGpu(CpuKernel(MakeSwitch), {"pred"}),
      .traits = {.kind = NodeKind::kSwitch, .memory = OutputMemory::kForwardsFirst},
  });
  registry.Add({
      .name = "RefSwitch",
      .signature = "data: Ref(T), pred: bool -> output_false: Ref(T), output_true: Ref(T)",
      .attrs = {"T: type"},
      .shape = SwitchShape,
      .kernels = ForwardsOnGpu(CpuKernel(MakeSwitch), {"pred"}),
      .traits = {.kind = NodeKind::kSwitch, .memory = OutputMemory::kForwardsFirst},
      .allows_uninitialized_input = true,
  });
  registry.Add({
      .name = "Merge",
      .signature = "inputs: N * T -> output: T, value_index: int32",
      .attrs = {"T: type", "N: int >= 1"},
      .shape = MergeShape,
      .kernels = ForwardsOnGpu(CpuKernel(MakeMergeOp), {"value_index"}),
      .traits = {.kind = NodeKind::kMerge, .memory = OutputMemory::kForwardsAll},
  });
  registry.Add({
      .name = "RefMerge",
      .signature = "inputs: N * Ref(T) -> output: Ref(T), value_index: int32",
      .attrs = {"T: type", "N: int >= 1"},
      .shape = MergeShape,
      .kernels = ForwardsOnGpu(CpuKernel(MakeMergeOp), {"value_index"}),
      .traits = {.kind = NodeKind::kMerge, .memory = OutputMemory::kForwardsAll},
  });
  registry.Add({
      .name = "RefSelect",
      .signature = "index: int32, inputs: N * Ref(T) -> output: Ref(T)",
      .attrs = {"T: type", "N: int >= 1"},
      .shape = RefSelectShape,
      .kernels = ForwardsOnGpu(CpuKernel(MakeRefSelect), {"index"}),
      .traits = {.memory = OutputMemory::kForwardsRest},
  });
  registry.Add({
      .name = "RefIdentity",
      .signature = "input: Ref(T) -> output: Ref(T)",
      .attrs = {"T: type"},
      .shape = SameAsInput(0),
      .gradient = [](GradientContext& g) -> Result<Gradients> { return Gradients{g.raw_d_output(0)}; },
      .kernels = ForwardsOnGpu(CpuKernel(MakeRefIdentity)),
      .traits = {.memory = OutputMemory::kForwardsFirst, .identity = true},
      .allows_uninitialized_input = true,
  });
}

}  // namespace weir::ops

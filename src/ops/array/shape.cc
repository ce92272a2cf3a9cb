// Shape, ShapeN, Rank, Size. They do not read the elements of their input.
#include <limits>

#include "op/gpu_kernel.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/int_inputs.h"

namespace weir::ops {
namespace {

Status CheckFits(int64_t size, DType type, std::string_view what) {
  if (type == kInt32 && size > std::numeric_limits<int32_t>::max())
    return InvalidArgument("{} output type is 32-bit but the value {} does not fit", what, size);
  return OkStatus();
}

Result<Kernel> MakeShape(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           for (int i = 0; i < ctx.num_inputs(); ++i) {
             for (int64_t d : ctx.input(i).shape()) WEIR_TRY(CheckFits(d, ctx.output_type(i), "Shape"));
             WEIR_ASSIGN(Tensor t, IntVector(ctx.output_type(i), ctx.input(i).shape().dims()));
             ctx.set_output(i, std::move(t));
           }
           return OkStatus();
         })
      .Cheap();
}

Result<Kernel> MakeRank(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           ctx.set_output(0, Tensor::Scalar<int32_t>(ctx.input(0).rank()));
           return OkStatus();
         })
      .Cheap();
}

Result<Kernel> MakeSize(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           const int64_t size = ctx.input(0).num_elements();
           WEIR_TRY(CheckFits(size, ctx.output_type(0), "Size"));
           ctx.set_output(
               0, ctx.output_type(0) == kInt32 ? Tensor::Scalar(static_cast<int32_t>(size)) : Tensor::Scalar(size));
           return OkStatus();
         })
      .Cheap();
}

Status ShapesOfInputs(ShapeContext& ctx) {
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    const PartialShape& in = ctx.input(i);
    ctx.set_output(i, PartialShape({in.known_rank() ? in.rank() : kUnknownDim}));
  }
  return OkStatus();
}

}  // namespace

void RegisterShape(OpRegistry& registry) {
  registry.Add({
      .name = "Shape",
      .signature = "input: T -> output: out_type",
      .attrs = {"T: type", "out_type: {int32, int64} = DT_INT32"},
      .shape = ShapesOfInputs,
      .no_gradient = kNoGradient,
      .kernels = ShapesOnGpu(CpuKernel(MakeShape)),
      .traits = {.memory = OutputMemory::kOwn, .brief = true, .shape_value = ShapeValue::kShape},
  });
  registry.Add({
      .name = "ShapeN",
      .signature = "input: N * T -> output: N * out_type",
      .attrs = {"N: int >= 1", "T: type", "out_type: {int32, int64} = DT_INT32"},
      .shape = ShapesOfInputs,
      .no_gradient = kNoGradient,
      .kernels = ShapesOnGpu(CpuKernel(MakeShape)),
      .traits = {.memory = OutputMemory::kOwn, .shape_value = ShapeValue::kShape},
  });
  registry.Add({
      .name = "Rank",
      .signature = "input: T -> output: int32",
      .attrs = {"T: type"},
      .shape = ScalarOutputs(),
      .no_gradient = kNoGradient,
      .kernels = ShapesOnGpu(CpuKernel(MakeRank)),
      .traits = {.memory = OutputMemory::kOwn, .shape_value = ShapeValue::kRank},
  });
  registry.Add({
      .name = "Size",
      .signature = "input: T -> output: out_type",
      .attrs = {"T: type", "out_type: {int32, int64} = DT_INT32"},
      .shape = ScalarOutputs(),
      .no_gradient = kNoGradient,
      .kernels = ShapesOnGpu(CpuKernel(MakeSize)),
      .traits = {.memory = OutputMemory::kOwn, .shape_value = ShapeValue::kSize},
  });
}

}  // namespace weir::ops

// Constants and placeholders. A session puts the value of a constant directly onto its edges; the kernel exists for
// other callers.
#include "op/gpu_kernel.h"
#include "op/gradient_context.h"
#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"

namespace weir::ops {
namespace {

Result<Kernel> MakeConst(KernelSetup& setup) {
  WEIR_ASSIGN(Tensor value, setup.Attr<Tensor>("value"));
  WEIR_ASSIGN(DType dtype, setup.Attr<DType>("dtype"));
  if (value.dtype() != dtype)
    return InvalidArgument("attr dtype is {} but the value is a {} tensor", dtype, value.dtype());
  return Kernel::Sync([value](KernelContext& ctx) -> Status {
           ctx.set_output(0, value);
           return OkStatus();
         })
      .Cheap();
}

Status ConstShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const TensorInfo value, GetTensorInfo(ctx.attrs(), "value"));
  WEIR_ASSIGN(DType dtype, ctx.Attr<DType>("dtype"));
  if (value.dtype != dtype) return InvalidArgument("attr dtype is {} but the value is a {} tensor", dtype, value.dtype);
  ctx.set_output(0, value.shape);
  return OkStatus();
}

// Runs only if no value was fed.
Result<Kernel> MakePlaceholder(KernelSetup& setup) {
  WEIR_ASSIGN(PartialShape shape, setup.Attr<PartialShape>("shape"));
  const std::string type = OpDefTypeName(setup.output_type(0));
  const std::string known = shape.known_rank() ? " and shape " + shape.ToString() : std::string();
  return Kernel::Sync([type, known](KernelContext& ctx) -> Status {
           return InvalidArgument("You must feed a value for placeholder tensor '{}' with dtype {}{}", ctx.name(), type,
                                  known);
         })
      .Cheap();
}

Result<Kernel> MakePlaceholderWithDefault(KernelSetup& setup) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           ctx.set_output(0, ctx.input(0));
           return OkStatus();
         })
      .Cheap();
}

Status PlaceholderWithDefaultShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape wanted, ctx.Attr<PartialShape>("shape"));
  // The default must be compatible with the attribute. The output may have any shape that is compatible with it.
  WEIR_TRY(ctx.input(0).Merge(wanted).status());
  ctx.set_output(0, wanted);
  return OkStatus();
}

}  // namespace

void RegisterConstant(OpRegistry& registry) {
  registry.Add({
      .name = "Const",
      .signature = "-> output: dtype",
      .attrs = {"value: tensor", "dtype: type"},
      .shape = ConstShape,
      .no_gradient = kNoGradient,
      .kernels = ForwardsOnGpu(CpuKernel(MakeConst), {}, "dtype"),
      .traits = {.kind = NodeKind::kConst, .brief = true},
  });
  // A constant in host memory on a GPU, for nodes that read it on the host. passes/place_memory.cc creates it.
  registry.Add({
      .name = "_HostConst",
      .signature = "-> output: dtype",
      .attrs = {"value: tensor", "dtype: type"},
      .shape = ConstShape,
      .kernels = HostOnGpu(CpuKernel(MakeConst)),
      .traits = {.kind = NodeKind::kConst, .brief = true},
  });
  registry.Add({
      .name = "Placeholder",
      .signature = "-> output: dtype",
      .attrs = {"dtype: type", "shape: shape = { unknown_rank: true }"},
      .shape = ShapeFromAttr("shape"),
      .no_gradient = kNoGradient,
      .kernels = HostOnGpu(CpuKernel(MakePlaceholder)),
      .traits = {.placeholder = true},
  });
  registry.Add({
      .name = "PlaceholderV2",
      .signature = "-> output: dtype",
      .attrs = {"dtype: type", "shape: shape"},
      .shape = ShapeFromAttr("shape"),
      .no_gradient = kNoGradient,
      .kernels = HostOnGpu(CpuKernel(MakePlaceholder)),
      .traits = {.placeholder = true},
  });
  registry.Add({
      .name = "PlaceholderWithDefault",
      .signature = "input: dtype -> output: dtype",
      .attrs = {"dtype: type", "shape: shape"},
      .shape = PlaceholderWithDefaultShape,
      .gradient = [](GradientContext& g) -> Result<Gradients> { return Gradients{g.raw_d_output(0)}; },
      .kernels = ForwardsOnGpu(CpuKernel(MakePlaceholderWithDefault), {}, "dtype"),
      .traits = {.memory = OutputMemory::kForwardsFirst, .placeholder = true},
  });
}

}  // namespace weir::ops

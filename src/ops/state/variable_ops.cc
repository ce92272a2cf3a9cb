// Reference variables: the node outputs a reference to the state, and consumers see its current value. A variable lives
// in the session's resources under container and shared_name (or the node's name).
#include "op/gpu_kernel.h"
#include "op/shape_context.h"
#include "ops/state/variable_access.h"

namespace weir::ops {
namespace {

Result<Kernel> MakeVariable(KernelSetup& setup) {
  WEIR_ASSIGN(std::string container, setup.Attr<std::string>("container"));
  WEIR_ASSIGN(std::string name, setup.Attr<std::string>("shared_name"));
  WEIR_ASSIGN(DType dtype, setup.Attr<DType>("dtype"));
  WEIR_ASSIGN(PartialShape shape, setup.Attr<PartialShape>("shape"));
  // As in TensorFlow, an unknown shape declares a scalar: the first value of any other shape must not be validated.
  if (!shape.known_rank()) shape = PartialShape::Scalar();
  if (!shape.fully_defined()) return InvalidArgument("Shape {} is not fully defined", shape);
  if (shape.known_rank() && !shape.fully_defined()) return InvalidArgument("Shape {} is not fully defined", shape);
  if (name.empty()) name = setup.node().name;
  return Kernel::Sync([container, name, dtype, shape](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(ResourcePtr<VariableState> variable,
                       ctx.resources().LookupOrCreate<VariableState>(
                           container, name, [&]() -> Result<ResourcePtr<VariableState>> {
                             return MakeIntrusive<VariableState>(dtype, shape);
                           }));
           if (variable->dtype() != dtype) {
             return InvalidArgument("variable '{}' already exists with type {}, but node '{}' has type {}", name,
                                    variable->dtype(), ctx.name(), dtype);
           }
           ctx.set_ref_output(0, std::move(variable));
           return OkStatus();
         })
      .Cheap();
}

// The op "Variable" cannot express an unknown rank: a scalar shape stands for it.
Status OldVariableShapeFn(ShapeContext& c) {
  WEIR_ASSIGN(PartialShape shape, c.Attr<PartialShape>("shape"));
  c.set_output(0, shape.rank() <= 0 ? PartialShape() : shape);
  return OkStatus();
}

constexpr char kTemporaryContainer[] = "temporary_variables";

Result<Kernel> MakeTemporaryVariable(KernelSetup& setup) {
  WEIR_ASSIGN(std::string name, setup.Attr<std::string>("var_name"));
  WEIR_ASSIGN(DType dtype, setup.Attr<DType>("dtype"));
  WEIR_ASSIGN(PartialShape shape, setup.Attr<PartialShape>("shape"));
  if (!shape.known_rank()) shape = PartialShape::Scalar();  // as in TensorFlow
  if (!shape.fully_defined()) return InvalidArgument("a temporary variable needs a fully defined shape, got {}", shape);
  if (name.empty()) name = setup.node().name;
  return Kernel::Sync([name, dtype, shape = shape.ToShape()](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(Tensor value, Tensor::Allocate(dtype, shape));
    auto variable = MakeIntrusive<VariableState>(dtype);
    variable->Write(std::move(value));
    WEIR_TRY(ctx.step().step_resources->Create(kTemporaryContainer, name, variable));
    ctx.set_ref_output(0, std::move(variable));
    return OkStatus();
  });
}

Result<Kernel> MakeDestroyTemporaryVariable(KernelSetup& setup) {
  WEIR_ASSIGN(std::string name, setup.Attr<std::string>("var_name"));
  if (name.empty()) return InvalidArgument("Missing var_name attribute");
  return Kernel::Sync([name](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(ResourcePtr<VariableState> variable, VariableInput(ctx, HandleKind::kRef, 0));
    Tensor value = variable->Read();
    if (!value.valid()) return UninitializedError(ctx, HandleKind::kRef, 0);
    ctx.raw_input(0).tensor = Tensor();
    WEIR_TRY(ctx.step().step_resources->Delete(kTemporaryContainer, name));
    ctx.set_output(0, std::move(value));
    return OkStatus();
  });
}

Result<Kernel> MakeIsVariableInitialized(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(ResourcePtr<VariableState> variable, VariableInput(ctx, HandleKind::kRef, 0));
           WEIR_ASSIGN(Tensor out, ctx.Allocate(0, {}));
           *out.data<bool>() = variable->initialized();
           return OkStatus();
         })
      .Cheap();
}

}  // namespace

void RegisterVariables(OpRegistry& registry) {
  registry.Add({
      .name = "Variable",
      .signature = "-> ref: Ref(dtype)",
      .attrs = {"shape: shape", "dtype: type", "container: string = ''", "shared_name: string = ''"},
      .shape = OldVariableShapeFn,
      .kernels = ForwardsOnGpu(CpuKernel(MakeVariable), {}, "dtype"),
      .traits = {.state = StateRole::kVariable, .may_block = false, .brief = true},
      .stateful = true,
  });
  registry.Add({
      .name = "VariableV2",
      .signature = "-> ref: Ref(dtype)",
      .attrs = {"shape: shape", "dtype: type", "container: string = ''", "shared_name: string = ''"},
      .shape = ShapeFromAttr(),
      .kernels = ForwardsOnGpu(CpuKernel(MakeVariable), {}, "dtype"),
      .traits = {.state = StateRole::kVariable, .may_block = false, .brief = true},
      .stateful = true,
  });
  registry.Add({
      .name = "TemporaryVariable",
      .signature = "-> ref: Ref(dtype)",
      .attrs = {"shape: shape", "dtype: type", "var_name: string = ''"},
      .shape = ShapeFromAttr(),
      .kernels = CpuKernel(MakeTemporaryVariable),
      .traits = kNeverBlocks,
      .stateful = true,
  });
  registry.Add({
      .name = "DestroyTemporaryVariable",
      .signature = "ref: Ref(T) -> value: T",
      .attrs = {"T: type", "var_name: string"},
      .shape = SameAsInput(0),
      .kernels = CpuKernel(MakeDestroyTemporaryVariable),
      .traits = {.state = StateRole::kReads},
  });
  registry.Add({
      .name = "IsVariableInitialized",
      .signature = "ref: Ref(dtype) -> is_initialized: bool",
      .attrs = {"dtype: type"},
      .shape = ScalarOutputs(),
      .no_gradient = kNoGradient,
      .kernels = ShapesOnGpu(CpuKernel(MakeIsVariableInitialized)),
      .traits = {.state = StateRole::kReads, .may_block = false, .brief = true, .value_use = ValueUse::kExistence},
      .allows_uninitialized_input = true,
  });
}

}  // namespace weir::ops

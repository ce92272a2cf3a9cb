// Assign, AssignAdd, AssignSub and CountUpTo, for reference and resource variables. Assign writes into the buffer of a
// variable of the same shape while that buffer is aliased, so that a consumer ordered after the assignment sees the new
// value.
#include "device/gpu/elementwise.h"
#include "device/gpu_device.h"
#include "op/shape_context.h"
#include "ops/state/element_arithmetic.h"
#include "ops/state/update_rules.h"
#include "ops/state/variable_access.h"

namespace weir::ops {
namespace {

// Whether the variable may take the value. REQUIRES: variable.mu() held.
Status CheckAssign(KernelContext& ctx, VariableState& variable, const Tensor& value, bool validate_shape) {
  const Tensor& current = variable.value_locked();
  const PartialShape fits = current.valid() ? PartialShape(current.shape()) : variable.declared_shape();
  if (validate_shape && !fits.CompatibleWith(value.shape())) {
    return InvalidArgument("Assign requires shapes of both tensors to match. lhs shape= {} rhs shape= {}", fits,
                           value.shape());
  }
  return OkStatus();
}

// The resource variable behind input 0, created if it does not exist.
Result<ResourcePtr<VariableState>> AssignedVariable(KernelContext& ctx, DType dtype) {
  const Tensor& handle = ctx.input(0);
  if (handle.dtype() != kResource || handle.num_elements() != 1)
    return InvalidArgument("input 0 is not a resource handle");
  const ResourceHandle& h = *handle.data<ResourceHandle>();
  WEIR_ASSIGN(
      ResourcePtr<VariableState> variable,
      ctx.resources().LookupOrCreate<VariableState>(h.container, h.name, [&]() -> Result<ResourcePtr<VariableState>> {
        return MakeIntrusive<VariableState>(dtype);
      }));
  if (variable->dtype() != dtype) {
    return InvalidArgument("Trying to assign variable with wrong dtype. Variable '{}' is of {}, the value of {}",
                           h.name, variable->dtype(), dtype);
  }
  return variable;
}

Status SwapValue(KernelContext& ctx, VariableState& variable, Tensor value, bool validate_shape) {
  std::unique_lock lock(variable.mu());
  Tensor& current = variable.value_locked();
  if (validate_shape && current.valid() && !(current.shape() == value.shape())) {
    return InvalidArgument(
        "Trying to assign to variable with tensor with wrong shape. Expected {} got {} (variable '{}')",
        current.shape(), value.shape(), ctx.input(0).data<ResourceHandle>()->name);
  }
  std::swap(current, value);
  lock.unlock();  // releases the old buffer without the lock
  return OkStatus();
}

// A copy in device memory of input 1, or the input itself if nobody else holds it.
Result<Tensor> TakeOrCopyOnGpu(KernelContext& ctx, GpuDevice& gpu, GpuStream& stream) {
  if (Tensor taken = TakeInput(ctx, 1); taken.valid()) return taken;
  const Tensor& value = ctx.input(1);
  WEIR_ASSIGN(Tensor copy, gpu.AllocateTemp(value.dtype(), value.shape()));
  WEIR_TRY(stream.CopyOnDevice(copy.raw(), value.raw(), value.num_bytes()));
  return copy;
}

Result<Kernel> MakeGpuAssign(KernelSetup& setup, GpuDevice& gpu) {
  WEIR_ASSIGN(bool validate_shape, setup.Attr<bool>("validate_shape"));
  WEIR_ASSIGN(std::shared_ptr<GpuStream> stream, gpu.stream());
  return Kernel::Sync([&gpu, stream = std::move(stream), validate_shape](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(ResourcePtr<VariableState> variable, VariableInput(ctx, HandleKind::kRef, 0));
    ctx.raw_input(0).tensor = Tensor();
    ctx.ForwardRef(0, 0);
    const Tensor& value = ctx.input(1);
    if (!value.valid()) return UninitializedError(ctx, HandleKind::kRef, 1);
    std::unique_lock lock(variable->mu());
    WEIR_TRY(CheckAssign(ctx, *variable, value, validate_shape));
    Tensor& current = variable->value_locked();
    const bool same_shape = current.valid() && current.shape() == value.shape();
    if (same_shape && current.raw() == value.raw()) return OkStatus();
    // Aliases of the variable see the new value.
    if (same_shape && !current.OwnsMemoryAlone() && !current.HasReaders())
      return stream->CopyOnDevice(current.raw(), value.raw(), value.num_bytes());
    WEIR_ASSIGN(current, TakeOrCopyOnGpu(ctx, gpu, *stream));
    return OkStatus();
  });
}

Result<Kernel> MakeGpuAssignVariable(KernelSetup& setup, GpuDevice& gpu) {
  WEIR_ASSIGN(bool validate_shape, setup.Attr<bool>("validate_shape"));
  WEIR_ASSIGN(DType dtype, setup.Attr<DType>("dtype"));
  WEIR_ASSIGN(std::shared_ptr<GpuStream> stream, gpu.stream());
  return Kernel::Sync([&gpu, stream = std::move(stream), validate_shape, dtype](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(ResourcePtr<VariableState> variable, AssignedVariable(ctx, dtype));
    WEIR_ASSIGN(Tensor value, TakeOrCopyOnGpu(ctx, gpu, *stream));
    return SwapValue(ctx, *variable, std::move(value), validate_shape);
  });
}

Result<Kernel> MakeAssign(KernelSetup& setup) {
  WEIR_ASSIGN(bool validate_shape, setup.Attr<bool>("validate_shape"));
  return Kernel::Sync([validate_shape](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(ResourcePtr<VariableState> variable, VariableInput(ctx, HandleKind::kRef, 0));
    ctx.raw_input(0).tensor = Tensor();
    ctx.ForwardRef(0, 0);
    const Tensor& value = ctx.input(1);
    if (!value.valid()) return UninitializedError(ctx, HandleKind::kRef, 1);
    if (value.dtype() != variable->dtype()) {
      return InvalidArgument("node '{}': assigning a value of {} to a variable of {}", ctx.name(), value.dtype(),
                             variable->dtype());
    }
    std::unique_lock lock(variable->mu());
    Tensor& current = variable->value_locked();
    const bool same_shape = current.valid() && current.shape() == value.shape();
    WEIR_TRY(CheckAssign(ctx, *variable, value, validate_shape));
    if (same_shape && !current.HasReaders()) {
      if (value.SharesMemoryWith(current)) {  // the variable itself, or some of its rows
        WEIR_ASSIGN(const Tensor copy, value.Clone());
        return CopyElements(ctx, copy, current);
      }
      if (current.OwnsMemoryAlone()) {
        if (Tensor taken = TakeInput(ctx, 1); taken.valid()) {
          std::swap(current, taken);
          return OkStatus();
        }
      }
      return CopyElements(ctx, value, current);
    }
    Tensor next = TakeInput(ctx, 1);
    if (!next.valid()) {
      WEIR_ASSIGN(next, Tensor::Allocate(value.dtype(), value.shape()));
      WEIR_TRY(CopyElements(ctx, value, next));
    }
    current = std::move(next);
    return OkStatus();
  });
}

// Merges the static shapes: a variable of unknown static shape accepts any value, as in TensorFlow. The kernel checks
// the shape of the current value or, before the first assignment, the declared shape.
Status AssignShape(ShapeContext& c) {
  WEIR_ASSIGN(bool validate_shape, c.Attr<bool>("validate_shape"));
  if (!validate_shape) {
    c.set_output(0, c.input(1));
    return OkStatus();
  }
  WEIR_ASSIGN(PartialShape merged, c.input(0).Merge(c.input(1)));
  c.set_output(0, std::move(merged));
  return OkStatus();
}

// For ops that assign or add a value of the variable's shape to a resource variable.
Status AssignResourceShape(ShapeContext& c) {
  WEIR_ASSIGN(const DType dtype, c.Attr<DType>("dtype"));
  WEIR_ASSIGN(const PartialShape variable, VariableShapeOf(c, HandleKind::kResource, 0, dtype));
  return variable.Merge(c.input(1)).status();
}

Result<Kernel> MakeAssignVariable(KernelSetup& setup) {
  WEIR_ASSIGN(bool validate_shape, setup.Attr<bool>("validate_shape"));
  WEIR_ASSIGN(DType dtype, setup.Attr<DType>("dtype"));
  return Kernel::Sync([validate_shape, dtype](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(ResourcePtr<VariableState> variable, AssignedVariable(ctx, dtype));
    Tensor value = TakeInput(ctx, 1);
    if (!value.valid()) {
      WEIR_ASSIGN(value, Tensor::Allocate(dtype, ctx.input(1).shape()));
      WEIR_TRY(CopyElements(ctx, ctx.input(1), value));
    }
    return SwapValue(ctx, *variable, std::move(value), validate_shape);
  });
}

// Adding and subtracting floats is gradient descent with a rate of -1 or 1; that code is vectorized.
template <class T, Combine op>
void CombineFloats(T* out, const T* in, int64_t n) {
  UpdateScalars<T> scalars;
  scalars.in[0] = op == Combine::kAdd ? T(-1) : T(1);
  RunUpdate(UpdateRule::kGradientDescent, scalars, &out, in, {.width = n});
}

template <Combine op>
void CombineAll(KernelContext& ctx, const Tensor& to, const Tensor& value) {
  constexpr int64_t kUnit = 64;
  const int64_t n = to.num_elements();
  WithNumberType(to.dtype(), [&]<class T>(TypeTag<T>) {
    T* out = to.data<T>();
    const T* in = value.data<T>();
    ctx.ParallelFor((n + kUnit - 1) / kUnit, /*cost_per_unit=*/kUnit / 2,
                    [&](int64_t first, int64_t last) {
                      const int64_t begin = first * kUnit, end = std::min(last * kUnit, n);
                      if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
                        CombineFloats<T, op>(out + begin, in + begin, end - begin);
                      } else {
                        for (int64_t i = begin; i < end; ++i) out[i] = CombineElements<op, T>(out[i], in[i]);
                      }
                    })
        .IgnoreError();
  });
}

Status CheckCombine(const Tensor& variable, const Tensor& value) {
  if (!(variable.shape() == value.shape())) {
    return InvalidArgument("Cannot update variable with shape {} using a Tensor with shape {}, shapes must be equal.",
                           variable.shape(), value.shape());
  }
  if (variable.dtype() != value.dtype()) {
    return InvalidArgument("Cannot update a variable of {} with a value of {}", variable.dtype(), value.dtype());
  }
  return OkStatus();
}

template <HandleKind handle_kind, Combine op>
Result<Kernel> MakeAssignCombine(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(VariableUpdate update, VariableUpdate::Begin(ctx, handle_kind, 1, Extent::kDense));
    const Tensor& variable = update.value(0);
    const Tensor& value = ctx.input(1);
    WEIR_TRY(CheckCombine(variable, value));
    CombineAll<op>(ctx, variable, value);
    return OkStatus();
  });
}

template <HandleKind handle_kind, Combine op>
Result<Kernel> MakeGpuAssignCombine(KernelSetup&, GpuDevice& gpu) {
  WEIR_ASSIGN(std::shared_ptr<GpuStream> stream, gpu.stream());
  return Kernel::Sync([&gpu, stream = std::move(stream)](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(VariableUpdate update, VariableUpdate::Begin(ctx, handle_kind, 1, Extent::kDense, &gpu));
    const Tensor& variable = update.value(0);
    const Tensor& value = ctx.input(1);
    WEIR_TRY(CheckCombine(variable, value));
    if (value.num_elements() == 0) return OkStatus();
    const DimVector& dims = value.shape().dims();
    return gpu::Binary(*stream, op == Combine::kAdd ? "Add" : "Sub", value.dtype(), variable.raw(), dims, value.raw(),
                       dims, variable.raw(), dims);
  });
}

template <HandleKind handle_kind>
Result<Kernel> MakeCountUpTo(KernelSetup& setup) {
  WEIR_ASSIGN(int64_t limit, setup.Attr<int64_t>("limit"));
  return Kernel::Sync([limit](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(VariableUpdate update, VariableUpdate::Begin(ctx, handle_kind, 1, Extent::kDense));
           const Tensor& variable = update.value(0);
           if (variable.rank() != 0) return InvalidArgument("input is not a scalar: {}", variable.shape());
           if (variable.dtype() != ctx.output_type(0)) {
             return InvalidArgument("Cannot count a variable of {} up as {}", variable.dtype(), ctx.output_type(0));
           }
           const int64_t count = variable.Int(0);
           if (count >= limit) return OutOfRange("Reached limit of {}", limit);
           WEIR_ASSIGN(Tensor out, ctx.Allocate(0, {}));
           if (variable.dtype() == kInt32) {
             *out.data<int32_t>() = (*variable.data<int32_t>())++;
           } else {
             *out.data<int64_t>() = (*variable.data<int64_t>())++;
           }
           return OkStatus();
         })
      .Cheap();
}

Status CountUpToShape(ShapeContext& c) {
  WEIR_TRY(c.WithRank(0, 0).status());
  c.set_output(0, PartialShape::Scalar());
  return OkStatus();
}

Status ResourceCountUpToShape(ShapeContext& c) {
  WEIR_ASSIGN(const DType dtype, c.Attr<DType>("T"));
  const HandleInfo handle = c.handle(0);
  if (handle.dtype != kInvalidType && handle.dtype != dtype)
    return InvalidArgument("Data types do not match: {} and {}", dtype, handle.dtype);
  if (handle.shape.known_rank() && handle.shape.rank() != 0)
    return InvalidArgument("Shape must be rank 0 but is rank {}", handle.shape.rank());
  c.set_output(0, PartialShape::Scalar());
  return OkStatus();
}

constexpr char kNumberAttr[] = ": numbertype";
constexpr OpTraits kAssignment = {.state = StateRole::kUpdates,
                                  .may_block = false,
                                  .keeps_inputs = false,
                                  .brief = true,
                                  .value_use = ValueUse::kReplaces};

template <Combine op>
void RegisterAssignCombine(OpRegistry& registry, const std::string& name, const std::string& resource_name) {
  registry.Add({
      .name = name,
      .signature = "ref: Ref(T), value: T -> output_ref: Ref(T)",
      .attrs = {std::string("T") + kNumberAttr, "use_locking: bool = false"},
      .shape = MergedInputs(),
      .no_gradient = kNoGradient,
      .kernels = WithGpu(CpuKernelForTypes("T", NumberTypes(), MakeAssignCombine<HandleKind::kRef, op>),
                         {.make = MakeGpuAssignCombine<HandleKind::kRef, op>, .types = kGpuReals | TypeSet{kInt64}}),
      .traits = kVariableUpdate,
  });
  registry.Add({
      .name = resource_name,
      .signature = "resource: resource, value: dtype ->",
      .attrs = {"dtype: type"},
      .shape = AssignResourceShape,
      .no_gradient = kNoGradient,
      .kernels = WithGpu(CpuKernelForTypes("dtype", NumberTypes(), MakeAssignCombine<HandleKind::kResource, op>),
                         {.make = MakeGpuAssignCombine<HandleKind::kResource, op>,
                          .types = kGpuReals | TypeSet{kInt64},
                          .attrs = "dtype"}),
      .traits = kVariableUpdate,
      .stateful = true,
  });
}

}  // namespace

void RegisterAssign(OpRegistry& registry) {
  registry.Add({
      .name = "Assign",
      .signature = "ref: Ref(T), value: T -> output_ref: Ref(T)",
      .attrs = {"T: type", "validate_shape: bool = true", "use_locking: bool = true"},
      .shape = AssignShape,
      .no_gradient = kNoGradient,
      .kernels =
          WithGpu(CpuKernel(MakeAssign), {.make = MakeGpuAssign, .types = kGpuPlain, .runs = GpuKernel::Runs::kCopies}),
      .traits = kAssignment,
      .allows_uninitialized_input = true,
  });
  registry.Add({
      .name = "AssignVariableOp",
      .signature = "resource: resource, value: dtype ->",
      .attrs = {"dtype: type", "validate_shape: bool = false"},
      .shape = AssignResourceShape,
      .no_gradient = kNoGradient,
      .kernels = WithGpu(
          CpuKernel(MakeAssignVariable),
          {.make = MakeGpuAssignVariable, .types = kGpuPlain, .attrs = "dtype", .runs = GpuKernel::Runs::kCopies}),
      .traits = kAssignment,
      .stateful = true,
  });
  RegisterAssignCombine<Combine::kAdd>(registry, "AssignAdd", "AssignAddVariableOp");
  RegisterAssignCombine<Combine::kSub>(registry, "AssignSub", "AssignSubVariableOp");
  registry.Add({
      .name = "CountUpTo",
      .signature = "ref: Ref(T) -> output: T",
      .attrs = {"limit: int", "T: {int32, int64}"},
      .shape = CountUpToShape,
      .kernels = CpuKernel(MakeCountUpTo<HandleKind::kRef>),
      .traits = kVariableUpdate,
  });
  registry.Add({
      .name = "ResourceCountUpTo",
      .signature = "resource: resource -> output: T",
      .attrs = {"limit: int", "T: {int32, int64}"},
      .shape = ResourceCountUpToShape,
      .kernels = CpuKernel(MakeCountUpTo<HandleKind::kResource>),
      .traits = kVariableUpdate,
      .stateful = true,
  });
}

}  // namespace weir::ops

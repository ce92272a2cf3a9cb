#include "ops/state/variable_access.h"

#include <algorithm>

#include "device/gpu_device.h"
#include "ops/array/elements.h"

namespace weir::ops {

Result<ResourcePtr<VariableState>> VariableInput(KernelContext& ctx, HandleKind handle_kind, int i) {
  if (handle_kind == HandleKind::kResource) return ctx.LookupResource<VariableState>(i);
  const ResourcePtr<VariableState>& ref = ctx.ref_input(i);
  if (!ref) return InvalidArgument("input {} of node '{}' is not a reference to a variable", i, ctx.name());
  return ref;
}

Status UninitializedError(KernelContext& ctx, HandleKind handle_kind, int i) {
  if (handle_kind == HandleKind::kResource) {
    const Tensor& handle = ctx.input(i);
    if (handle.dtype() == kResource && handle.num_elements() == 1) {
      const ResourceHandle& h = *handle.data<ResourceHandle>();
      return FailedPrecondition(
          "Error while reading resource variable {} from Container: {}. This could mean that the variable was "
          "uninitialized or has been destroyed: run its initializer first",
          h.name, h.container);
    }
  }
  const std::vector<ArgDef>& args = ctx.node().op->inputs;
  return FailedPrecondition("Attempting to use uninitialized value: input '{}' of node '{}'",
                            i < static_cast<int>(args.size()) ? args[i].name : std::to_string(i), ctx.name());
}

Result<VariableUpdate> VariableUpdate::Begin(KernelContext& ctx, HandleKind handle_kind, int count, Extent extent,
                                             GpuDevice* gpu) {
  VariableUpdate update;
  absl::InlinedVector<VariableState*, 4> order;
  for (int i = 0; i < count; ++i) {
    WEIR_ASSIGN(ResourcePtr<VariableState> variable, VariableInput(ctx, handle_kind, i));
    order.push_back(variable.get());
    update.variables_.push_back(std::move(variable));
    if (handle_kind == HandleKind::kRef)
      ctx.raw_input(i).tensor = Tensor();  // our own alias must not count as a reader
  }
  std::sort(order.begin(), order.end());
  order.erase(std::unique(order.begin(), order.end()), order.end());
  for (VariableState* variable : order) update.locks_.emplace_back(variable->mu());

  for (int i = 0; i < count; ++i) {
    VariableState& variable = *update.variables_[i];
    Tensor& value = variable.value_locked();
    if (!value.valid()) return UninitializedError(ctx, handle_kind, i);
    if (value.dtype() != update.value(0).dtype()) {
      return InvalidArgument("node '{}': the variables are of different types, {} and {}", ctx.name(),
                             update.value(0).dtype(), value.dtype());
    }
    const bool in_use = handle_kind == HandleKind::kRef ? value.HasReaders() : !value.OwnsMemoryAlone();
    if (value.num_elements() > 0 && in_use) {
      WEIR_ASSIGN(Tensor copy, gpu != nullptr ? gpu->Copy(value) : value.Clone());
      value = std::move(copy);
    }
    if (extent == Extent::kDense) continue;
    if (handle_kind == HandleKind::kResource) variable.copy_on_read_locked() = true;
    if (value.buffer()) value.buffer()->set_written_by_rows();
  }
  if (ctx.num_outputs() > 0 && IsRef(ctx.declared_output_type(0))) ctx.ForwardRef(0, 0);
  return update;
}

Result<Tensor> ReadResourceVariable(VariableState& variable) {
  std::shared_lock lock(variable.mu());
  const Tensor& value = variable.value_locked();
  if (!value.valid() || !variable.copy_on_read_locked()) return value;
  return value.Clone();
}

Result<PartialShape> VariableShapeOf(ShapeContext& c, HandleKind handle_kind, int i, DType dtype) {
  if (handle_kind == HandleKind::kRef) return c.input(i);
  HandleInfo handle = c.handle(i);
  if (handle.dtype != kInvalidType && handle.dtype != dtype) {
    return InvalidArgument("Trying to read variable with wrong dtype. Expected {} got {}", handle.dtype, dtype);
  }
  return std::move(handle.shape);
}

Status CopyElements(KernelContext& ctx, const Tensor& from, const Tensor& to) {
  const int64_t n = from.num_elements();
  if (n == 0 || from.raw() == to.raw()) return OkStatus();
  const Elements elements(from.dtype());
  if (from.dtype() == kVariant) return Unimplemented("copying elements of type {} is not supported", from.dtype());
  if (!elements.plain()) {
    elements.Copy(from, 0, to, 0, n);
    return OkStatus();
  }
  constexpr int64_t kBlock = 4096;
  const int64_t bytes = static_cast<int64_t>(from.num_bytes());
  const char* in = static_cast<const char*>(from.raw());
  char* out = static_cast<char*>(to.raw());
  return ctx.ParallelFor((bytes + kBlock - 1) / kBlock, /*cost_per_unit=*/400, [&](int64_t begin, int64_t end) {
    const int64_t first = begin * kBlock;
    std::memcpy(out + first, in + first, static_cast<size_t>(std::min(end * kBlock, bytes) - first));
  });
}

Tensor TakeInput(KernelContext& ctx, int i) {
  EdgeValue& edge = ctx.raw_input(i);
  // A small view would keep a large buffer alive for the lifetime of the variable.
  const Tensor& value = edge.tensor;
  if (edge.is_ref() || !value.OwnsMemoryAlone() || value.buffer()->size() > 2 * value.num_bytes() + 4096)
    return Tensor();
  return std::move(edge.tensor);
}

}  // namespace weir::ops

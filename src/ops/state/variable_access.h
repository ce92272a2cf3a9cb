// Access to the value of a variable. Every writer holds the variable's lock for the whole update. Reference variables:
// reads alias the buffer and updates write into it, unless the buffer is leased to another task (Tensor::Lease); then
// updates write to a copy. Resource variables: reads share the buffer, and later updates must not change a value that
// was read. An update copies a shared buffer first. A sparse update also makes all later reads copy, so that later
// sparse updates write in place.
#pragma once

#include "absl/container/inlined_vector.h"
#include "op/kernel.h"
#include "op/shape_context.h"
#include "ops/state/handle_kind.h"

namespace weir {
class GpuDevice;
}  // namespace weir

namespace weir::ops {

enum class Extent { kDense, kSparse };  // how much of the value an update touches

// Returns the variable behind input i. NotFound if a resource handle refers to no variable.
Result<ResourcePtr<VariableState>> VariableInput(KernelContext& ctx, HandleKind handle_kind, int i);

// FailedPrecondition. Names the variable if it is a resource variable.
Status UninitializedError(KernelContext& ctx, HandleKind handle_kind, int i);

// The first `count` inputs of an op as variables, locked for writing until destruction.
class VariableUpdate final {
 public:
  // Checks that all are initialized and of one type, and makes them safe to write in place. Sets output 0 of reference
  // ops. `gpu`: the device that the kernel runs on; null: a CPU.
  static Result<VariableUpdate> Begin(KernelContext& ctx, HandleKind handle_kind, int count, Extent extent,
                                      GpuDevice* gpu = nullptr);
  // The current value. The caller may write into its memory.
  const Tensor& value(int i) const { return variables_[i]->value_locked(); }

 private:
  VariableUpdate() = default;
  absl::InlinedVector<ResourcePtr<VariableState>, 4> variables_;
  // In order of address, to avoid deadlocks. Declared last: released before variables_.
  absl::InlinedVector<std::unique_lock<std::shared_mutex>, 4> locks_;
};

// The value of a resource read. Later updates do not change it.
Result<Tensor> ReadResourceVariable(VariableState& variable);

// Returns the static shape of the variable behind input i. An error if the variable's type is not `dtype`.
Result<PartialShape> VariableShapeOf(ShapeContext& c, HandleKind handle_kind, int i, DType dtype);

// Copies the elements of `from` to `to`, in parallel if large. REQUIRES: equal type and number of elements.
Status CopyElements(KernelContext& ctx, const Tensor& from, const Tensor& to);

// Moves input i out of the context if its memory is not shared, else returns an invalid tensor.
Tensor TakeInput(KernelContext& ctx, int i);

}  // namespace weir::ops

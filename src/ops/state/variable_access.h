// How ops reach the value of a variable, through either face. The rule: every writer holds the variable's lock for the
// whole update. A reference read aliases the buffer and reference updates write into it, unless a value of it is on its
// way to another task (Tensor::Lease): then they write a new one. A resource read shares the
// buffer too but must not change: a dense resource update that finds it shared writes a new one; sparse updates write
// in place and switch the variable to copy-on-read, so that no table is ever copied by its writers.
#pragma once

#include "absl/container/inlined_vector.h"
#include "op/kernel.h"
#include "op/shape_context.h"

namespace weir::ops {

enum class Face { kRef, kResource };
enum class Extent { kDense, kSparse };  // how much of the value an update touches

// The variable behind input i: NotFound when a resource handle names none.
Result<ResourcePtr<VariableState>> VariableInput(KernelContext& ctx, Face face, int i);

// FailedPrecondition, naming the variable as far as the face knows it.
Status UninitializedError(KernelContext& ctx, Face face, int i);

// The first `count` inputs of an op as variables, locked for writing until it is destroyed.
class VariableUpdate final {
 public:
  // All are initialized, of one type, and safe to write in place. A reference op's output 0 is set.
  static Result<VariableUpdate> Begin(KernelContext& ctx, Face face, int count, Extent extent);
  // The current value; write into its memory.
  const Tensor& value(int i) const { return variables_[i]->value_locked(); }

 private:
  VariableUpdate() = default;
  absl::InlinedVector<ResourcePtr<VariableState>, 4> variables_;
  absl::InlinedVector<std::unique_lock<std::shared_mutex>, 4>
      locks_;  // in order of address; released before variables_
};

// The value that a resource read gives: later updates leave it alone.
Result<Tensor> ReadResourceVariable(VariableState& variable);

// What a shape function knows of the value behind input i, whichever face; an error when the variable's type is not
// `dtype`.
Result<PartialShape> VariableShapeOf(ShapeContext& c, Face face, int i, DType dtype);

// Copies elements of any type between tensors of one type and element count, in parallel where it pays.
Status CopyElements(KernelContext& ctx, const Tensor& from, const Tensor& to);

// Takes the value of input i out of the context if nobody else holds its memory, else an invalid tensor.
Tensor TakeInput(KernelContext& ctx, int i);

}  // namespace weir::ops

// MemorySlot: memory that is kept from step to step for the outputs that a plan gives it to, one after the other
// (runtime/memory_plan.h). It is offered to KernelContext::Allocate in the output itself, which has no type yet. No
// lock: who plans sees to it that one node at a time touches a slot.
#pragma once

#include <atomic>

#include "op/kernel.h"

namespace weir {

struct MemorySlot {
  Tensor kept;                            // nobody else has its memory; without a buffer: there is none
  const Buffer* lent = nullptr;           // what the output got, by which it is known again; it may be gone
  size_t most_bytes = 0;                  // what is larger is not kept
  std::atomic<bool>* outgrown = nullptr;  // becomes true when something was larger; may be null
};

// A slot keeps no block that the allocator shares with other processes or counts against the limit of this one.
constexpr size_t kMostSlotBytes = (size_t{1} << 18) - 1;

// Memory that is larger than an output by more is wasted on it.
inline bool SuitsBytes(size_t memory, size_t bytes) { return memory >= bytes && memory <= 2 * bytes + 4096; }

inline void OfferSlot(MemorySlot* slot, EdgeValue& output) {
  output.tensor = Tensor::FromBuffer(kInvalidType, Shape(), nullptr, slot);
}
// Of an output that was not set. Null: none was offered.
inline MemorySlot* OfferedSlot(const EdgeValue& output) {
  return output.tensor.valid() ? nullptr : static_cast<MemorySlot*>(output.tensor.raw());
}
// REQUIRES: a slot was offered.
inline void WithdrawSlot(EdgeValue& output) {
  if (!output.tensor.valid()) output.tensor = Tensor();
}

// A tensor in the memory of the slot where that suits, else a new one, whose memory can be kept.
Result<Tensor> AllocateIn(MemorySlot& slot, DType dtype, const Shape& shape);

// Keeps the memory of a value that dies, if it is the slot's and nobody else has it.
inline void KeepIn(MemorySlot& slot, Tensor& dying) {
  if (!dying.OwnsMemoryAlone() || dying.buffer().get() != slot.lent) return;
  if (dying.raw() == dying.buffer()->data()) slot.kept = std::move(dying);
}

}  // namespace weir

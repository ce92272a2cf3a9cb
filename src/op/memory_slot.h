// MemorySlot: memory that is kept from step to step for the outputs that a plan gives it to, one after the other
// (runtime/memory_plan.h). It is offered to KernelContext::Allocate in the output itself: a tensor without a type whose
// buffer is the slot. No lock: who plans sees to it that one node at a time touches a slot. Owned by its step.
#pragma once

#include <sanitizer/asan_interface.h>

#include <atomic>

#include "op/kernel.h"

namespace weir {

class MemorySlot final : public Buffer {
 public:
  MemorySlot() : Buffer(nullptr, 0) {}
  ~MemorySlot() override = default;

  BufferPtr kept;                         // that nobody else has; null: none
  const Buffer* lent = nullptr;           // what the output got, by which it is known again; it may be gone
  size_t most_bytes = 0;                  // what is larger is not kept
  std::atomic<bool>* outgrown = nullptr;  // becomes true when something was larger; may be null

 private:
  void Destroy() const override {}  // the one reference goes into an output and is gone with the offer
};

// A slot keeps no block that the allocator shares with other processes or counts against the limit of this one.
constexpr size_t kMostSlotBytes = (size_t{1} << 18) - 1;

// Memory that is larger than an output by more is wasted on it.
inline bool SuitsBytes(size_t memory, size_t bytes) { return memory >= bytes && memory <= 2 * bytes + 4096; }

// The buffer of a tensor, to be moved without the tensor, which takes many times as long.
inline BufferPtr& MemoryOf(Tensor& tensor) { return const_cast<BufferPtr&>(tensor.buffer()); }

// REQUIRES: the output has no value. The offer ends with WithdrawSlot, or when the output is set.
inline void OfferSlot(MemorySlot& slot, EdgeValue& output) { MemoryOf(output.tensor) = BufferPtr::Adopt(&slot); }
inline void WithdrawSlot(EdgeValue& output) {
  if (!output.tensor.valid()) MemoryOf(output.tensor).release();
}
// Null: none was offered.
inline MemorySlot* OfferedSlot(const EdgeValue& output) {
  return output.tensor.valid() ? nullptr : static_cast<MemorySlot*>(output.tensor.buffer().get());
}

// A tensor in the memory of the slot where that suits, else a new one, whose memory can be kept.
Result<Tensor> AllocateIn(MemorySlot& slot, DType dtype, const Shape& shape);

// Keeps the memory of a value that dies, if it is the slot's and nobody else has it. Until an output gets it, the
// address sanitizer, where there is one, takes it for freed.
inline void KeepIn(MemorySlot& slot, Tensor& dying) {
  if (dying.buffer().get() != slot.lent || !dying.OwnsMemoryAlone()) return;
  slot.kept = std::move(MemoryOf(dying));
  ASAN_POISON_MEMORY_REGION(slot.kept->data(), slot.kept->size());
}

}  // namespace weir

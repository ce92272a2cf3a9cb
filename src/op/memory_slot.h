// MemorySlot: memory that is reused from step to step by the outputs that the memory plan assigns to it
// (runtime/memory_plan.h). The executor passes it to KernelContext::Allocate in the output itself: a tensor without a
// type whose buffer is the slot. Not thread-safe: the plan guarantees that only one node at a time uses a slot. Owned
// by its step.
#pragma once

#include <sanitizer/asan_interface.h>

#include <atomic>

#include "op/kernel.h"

namespace weir {

class MemorySlot final : public Buffer {
 public:
  MemorySlot() : Buffer(nullptr, 0) {}
  ~MemorySlot() override = default;

  BufferPtr free_buffer;                  // the free buffer, with no other reference; null if there is none
  const Buffer* in_use = nullptr;         // the buffer that the output got, only to compare with; may be dangling
  size_t max_bytes = 0;                   // larger buffers are not kept
  std::atomic<bool>* outgrown = nullptr;  // set when an output needs more than max_bytes; may be null

 private:
  void Destroy() const override {}  // the slot is not reference-counted: WithdrawSlot drops the only reference
};

// Larger blocks are mapped by the allocator, which may share them with other processes and counts them against the
// memory limit. A slot does not keep those.
constexpr size_t kMaxSlotBytes = (size_t{1} << 18) - 1;

// Whether a block of `memory` bytes fits an output of `bytes` without wasting too much.
inline bool FitsWithoutWaste(size_t memory, size_t bytes) { return memory >= bytes && memory <= 2 * bytes + 4096; }

// The buffer of a tensor. Moving it is many times faster than moving the tensor.
inline BufferPtr& MutableBuffer(Tensor& tensor) { return const_cast<BufferPtr&>(tensor.buffer()); }

// Offers the slot to Allocate. The offer ends with WithdrawSlot or when the output is set.
// REQUIRES: the output has no value.
inline void OfferSlot(MemorySlot& slot, EdgeValue& output) { MutableBuffer(output.tensor) = BufferPtr::Adopt(&slot); }
inline void WithdrawSlot(EdgeValue& output) {
  if (!output.tensor.valid()) MutableBuffer(output.tensor).release();
}
// The slot offered to `output`, or null.
inline MemorySlot* OfferedSlot(const EdgeValue& output) {
  return output.tensor.valid() ? nullptr : static_cast<MemorySlot*>(output.tensor.buffer().get());
}

// Allocates a tensor. Uses the memory of the slot if it is large enough, else allocates new memory, which
// ReturnToSlot may later add to the slot.
Result<Tensor> AllocateIn(MemorySlot& slot, DType dtype, const Shape& shape);

// Takes the memory of a value that is about to be released, if it came from the slot and has no other reference.
// The memory is poisoned for the address sanitizer until the next output gets it.
inline void ReturnToSlot(MemorySlot& slot, Tensor& dying) {
  if (dying.buffer().get() != slot.in_use || !dying.OwnsMemoryAlone()) return;
  slot.free_buffer = std::move(MutableBuffer(dying));
  ASAN_POISON_MEMORY_REGION(slot.free_buffer->data(), slot.free_buffer->size());
}

}  // namespace weir

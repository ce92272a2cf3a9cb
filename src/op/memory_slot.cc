#include "op/memory_slot.h"

namespace weir {

Result<Tensor> AllocateIn(MemorySlot& slot, DType dtype, const Shape& shape) {
  if (slot.free_buffer) {
    const size_t element = ElementSize(dtype);
    const size_t memory = slot.free_buffer->size();
    const auto elements = static_cast<size_t>(shape.num_elements());
    if (elements <= memory / element && FitsWithoutWaste(memory, elements * element)) {
      slot.in_use = slot.free_buffer.get();
      void* const data = slot.free_buffer->data();
      ASAN_UNPOISON_MEMORY_REGION(data, memory);
      return Tensor::FromBuffer(dtype, shape, std::move(slot.free_buffer), data);
    }
    slot.free_buffer = nullptr;
  }
  WEIR_ASSIGN(Tensor fresh, Tensor::Allocate(dtype, shape));
  slot.in_use = nullptr;
  if (!IsPlain(dtype)) return fresh;
  if (fresh.num_bytes() <= slot.max_bytes) {
    slot.in_use = fresh.buffer().get();
  } else if (slot.outgrown != nullptr) {
    slot.outgrown->store(true, std::memory_order_relaxed);
  }
  return fresh;
}

}  // namespace weir

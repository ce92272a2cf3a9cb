#include "op/memory_slot.h"

namespace weir {

Result<Tensor> AllocateIn(MemorySlot& slot, DType dtype, const Shape& shape) {
  if (slot.kept) {
    const size_t element = ElementSize(dtype);
    const size_t memory = slot.kept->size();
    const auto elements = static_cast<size_t>(shape.num_elements());
    if (elements <= memory / element && SuitsBytes(memory, elements * element)) {
      slot.lent = slot.kept.get();
      void* const data = slot.kept->data();
      ASAN_UNPOISON_MEMORY_REGION(data, memory);
      return Tensor::FromBuffer(dtype, shape, std::move(slot.kept), data);
    }
    slot.kept = nullptr;
  }
  WEIR_ASSIGN(Tensor fresh, Tensor::Allocate(dtype, shape));
  slot.lent = nullptr;
  if (!IsPlain(dtype)) return fresh;
  if (fresh.num_bytes() <= slot.most_bytes) {
    slot.lent = fresh.buffer().get();
  } else if (slot.outgrown != nullptr) {
    slot.outgrown->store(true, std::memory_order_relaxed);
  }
  return fresh;
}

}  // namespace weir

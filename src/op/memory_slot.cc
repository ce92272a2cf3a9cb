#include "op/memory_slot.h"

namespace weir {

Result<Tensor> AllocateIn(MemorySlot& slot, DType dtype, const Shape& shape) {
  Tensor& kept = slot.kept;
  if (kept.buffer() && kept.dtype() == dtype && kept.shape() == shape) {
    slot.lent = kept.buffer().get();
    return std::move(kept);
  }
  const size_t element = IsPlain(dtype) ? ElementSize(dtype) : 0;
  if (element == 0) return Tensor::Allocate(dtype, shape);
  if (kept.buffer()) {
    const size_t memory = kept.buffer()->size();
    const auto elements = static_cast<size_t>(shape.num_elements());
    if (elements <= memory / element && SuitsBytes(memory, elements * element)) {
      const Tensor same = std::exchange(kept, Tensor());
      slot.lent = same.buffer().get();
      return Tensor::FromBuffer(dtype, shape, same.buffer(), same.raw());
    }
    kept = Tensor();
  }
  WEIR_ASSIGN(Tensor fresh, Tensor::Allocate(dtype, shape));
  const bool keeps = fresh.num_bytes() <= slot.most_bytes;
  slot.lent = keeps ? fresh.buffer().get() : nullptr;
  if (!keeps && slot.outgrown != nullptr) slot.outgrown->store(true, std::memory_order_relaxed);
  return fresh;
}

}  // namespace weir

#include "ops/flow/tensor_array.h"

#include "base/process_memory.h"
#include "ops/state/element_arithmetic.h"

namespace weir::ops {
namespace {

constexpr int32_t kMaxSlots = 1 << 24;

}  // namespace

Status TensorArrayState::CheckOpen() const {
  return closed_ ? InvalidArgument("TensorArray {} has already been closed.", name_) : OkStatus();
}

Result<int32_t> TensorArrayState::Size() const {
  std::lock_guard lock(mu_);
  WEIR_TRY(CheckOpen());
  return size_;
}

PartialShape TensorArrayState::ElementShape() const {
  std::lock_guard lock(mu_);
  return options_.element_shape;
}

Status TensorArrayState::SetElementShape(const PartialShape& shape) {
  std::lock_guard lock(mu_);
  WEIR_ASSIGN(options_.element_shape, options_.element_shape.Merge(shape));
  return OkStatus();
}

Result<bool> TensorArrayState::Reserve(int64_t size) {
  std::lock_guard lock(mu_);
  WEIR_TRY(CheckOpen());
  if (size <= size_) return true;
  if (!options_.dynamic_size) return false;
  if (size > kMaxSlots) return ResourceExhausted("TensorArray {} cannot hold {} elements", name_, size);
  size_ = static_cast<int32_t>(size);
  return true;
}

Result<TensorArrayState::Slot*> TensorArrayState::SlotAt(int32_t index) {
  if (index >= kMaxSlots) return ResourceExhausted("TensorArray {}: index {} exceeds the maximum size", name_, index);
  if (static_cast<size_t>(index) >= slots_.size()) {
    // Grow by half, so that writing the slots in order takes amortized constant time per slot.
    const size_t size = std::max<size_t>(index + 1, std::min<size_t>(size_, slots_.size() + slots_.size() / 2));
    WEIR_TRY(ProcessMemory::Get().ReserveKept((size - slots_.size()) * sizeof(Slot)));
    slots_.resize(size);
  }
  return &slots_[index];
}

Status TensorArrayState::Write(int32_t index, Tensor value) {
  std::lock_guard lock(mu_);
  WEIR_TRY(CheckOpen());
  if (index < 0 || (!options_.dynamic_size && index >= size_))
    return InvalidArgument("TensorArray {}: Tried to write to index {} but array is not resizeable and size is: {}",
                           name_, index, size_);
  if (value.dtype() != options_.dtype)
    return InvalidArgument(
        "TensorArray {}: Could not write to TensorArray index {} because the value dtype is {} but TensorArray dtype "
        "is {}.",
        name_, index, value.dtype(), options_.dtype);
  if (!options_.element_shape.CompatibleWith(value.shape()))
    return InvalidArgument(
        "TensorArray {}: Could not write to TensorArray index {} because the value shape is {} which is "
        "incompatible with the TensorArray's inferred element shape: {} (consider setting infer_shape=False).",
        name_, index, value.shape(), options_.element_shape);
  WEIR_ASSIGN(Slot * slot, SlotAt(index));
  size_ = std::max(size_, index + 1);
  if (slot->read)
    return InvalidArgument("TensorArray {}: Could not write to TensorArray index {} because it has already been read.",
                           name_, index);
  if (slot->written && !options_.adds_writes)
    return InvalidArgument(
        "TensorArray {}: Could not write to TensorArray index {} because it has already been written to.", name_,
        index);
  if (options_.identical_element_shapes && !options_.element_shape.fully_defined())
    options_.element_shape = value.shape();
  if (slot->written) return AddTo(*slot, index, value);
  slot->shape = value.shape();
  slot->has_shape = true;
  slot->value = std::move(value);
  slot->written = true;
  return OkStatus();
}

Status TensorArrayState::AddTo(Slot& slot, int32_t index, const Tensor& value) {
  if (!(slot.value.shape() == value.shape()))
    return InvalidArgument(
        "TensorArray {}: Could not aggregate to TensorArray index {} because the existing shape is {} but the "
        "new input shape is {}.",
        name_, index, slot.value.shape(), value.shape());
  has_sums_ = true;
  if (!slot.owned) {
    WEIR_ASSIGN(slot.value, slot.value.Clone());
    slot.owned = true;
  }
  const bool known = WithNumberType(options_.dtype, [&]<class T>(TypeTag<T>) {
    T* sum = slot.value.data<T>();
    const T* more = value.data<T>();
    for (int64_t i = 0; i < value.num_elements(); ++i) sum[i] = CombineElements<Combine::kAdd, T>(sum[i], more[i]);
  });
  return known ? OkStatus()
               : InvalidArgument("TensorArray {}: values of type {} do not support addition", name_, options_.dtype);
}

Result<Tensor> TensorArrayState::Read(int32_t index) {
  std::lock_guard lock(mu_);
  WEIR_TRY(CheckOpen());
  if (index < 0 || index >= size_)
    return InvalidArgument("Tried to read from index {} but array size is: {}", index, size_);
  WEIR_ASSIGN(Slot * slot, SlotAt(index));
  if (slot->written && !slot->value.valid())
    return InvalidArgument(
        "TensorArray {}: Could not read index {} twice because it was cleared after a previous read (perhaps try "
        "setting clear_after_read = false?).",
        name_, index);
  if (!slot->written) {
    if (!slot->has_shape && !options_.element_shape.fully_defined())
      return InvalidArgument(
          "TensorArray {}: Could not read from TensorArray index {}.  Furthermore, the element shape is not fully "
          "defined: {}.  If you set the full element_shape of the TensorArray, zeros are read instead.",
          name_, index, options_.element_shape);
    if (!slot->has_shape) slot->shape = options_.element_shape.ToShape();
    slot->has_shape = true;
    WEIR_ASSIGN(slot->value, Tensor::Zeros(options_.dtype, slot->shape));
    slot->written = true;
  }
  slot->read = true;
  // The caller shares this memory, so Write() refuses to add to a slot that has been read.
  return options_.clear_after_read ? std::exchange(slot->value, Tensor()) : slot->value;
}

void TensorArrayState::Close() {
  std::lock_guard lock(mu_);
  slots_.clear();
  closed_ = true;
}

Result<ResourcePtr<TensorArrayState>> TensorArrayState::MakeGradients(std::string name, const Shape& prepended) {
  std::lock_guard lock(mu_);
  WEIR_TRY(CheckOpen());
  if (has_sums_)
    return InvalidArgument(
        "TensorArray {}: Unable to create a gradients TensorArray: several writes to one index were added up, "
        "and that cannot be differentiated.",
        name_);
  options_.dynamic_size = false;
  Options options = options_;
  options.clear_after_read = true;
  options.adds_writes = true;
  options.element_shape = PartialShape(prepended).Concat(options_.element_shape);
  auto gradients = MakeIntrusive<TensorArrayState>(std::move(name), size_, std::move(options));
  gradients->slots_.resize(slots_.size());
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i].has_shape) continue;
    Shape shape = prepended;
    for (const int64_t dim : slots_[i].shape) WEIR_TRY(shape.AddDim(dim));
    gradients->slots_[i].shape = std::move(shape);
    gradients->slots_[i].has_shape = true;
  }
  return gradients;
}

}  // namespace weir::ops

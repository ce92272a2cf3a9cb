#include "tensor/variant.h"

namespace weir {
namespace {

class VariantBuffer final : public Buffer {
 public:
  explicit VariantBuffer(IntrusivePtr<const VariantValue> value)
      : Buffer(const_cast<VariantValue*>(value.get()), 0), value_(std::move(value)) {}

 private:
  ~VariantBuffer() override = default;
  const IntrusivePtr<const VariantValue> value_;
};

}  // namespace

Tensor MakeVariant(IntrusivePtr<const VariantValue> value) {
  auto buffer = MakeIntrusive<VariantBuffer>(std::move(value));
  void* data = buffer->data();
  return Tensor::FromBuffer(kVariant, Shape{}, std::move(buffer), data);
}

IntrusivePtr<const VariantValue> VariantOf(const Tensor& tensor) {
  if (tensor.dtype() != kVariant || tensor.raw() == nullptr) return nullptr;
  return IntrusivePtr<const VariantValue>::Share(static_cast<const VariantValue*>(tensor.raw()));
}

}  // namespace weir

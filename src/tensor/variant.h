// Variants: tensors of type variant hold a C++ object (a dataset) instead of numbers. They are always scalars. Kernels
// may pass them on unchanged; copying their elements fails when the copy is allocated. They cannot leave the process.
#ifndef WEIR_TENSOR_VARIANT_H_
#define WEIR_TENSOR_VARIANT_H_

#include <string>

#include "base/intrusive_ptr.h"
#include "tensor/tensor.h"

namespace weir {

// The object in a variant. Immutable, because all copies of the tensor share it.
class VariantValue : public RefCounted {
 public:
  virtual std::string DebugString() const = 0;
};

Tensor MakeVariant(IntrusivePtr<const VariantValue> value);
// The object in `tensor`; null if it is not a variant.
IntrusivePtr<const VariantValue> VariantOf(const Tensor& tensor);

}  // namespace weir

#endif  // WEIR_TENSOR_VARIANT_H_

// Variants: tensors of type variant, which hold an object of C++ (a dataset) instead of numbers. There are scalars
// alone: kernels pass them on as they are, and what would copy elements fails where it allocates them. They stay in
// their process.
#ifndef WEIR_TENSOR_VARIANT_H_
#define WEIR_TENSOR_VARIANT_H_

#include <string>

#include "base/intrusive_ptr.h"
#include "tensor/tensor.h"

namespace weir {

// What a variant holds. Shared by all tensors that it is passed on in: nobody changes it.
class VariantValue : public RefCounted {
 public:
  virtual std::string DebugString() const = 0;
};

Tensor MakeVariant(IntrusivePtr<const VariantValue> value);
// What `tensor` holds; null for every other kind of tensor.
IntrusivePtr<const VariantValue> VariantOf(const Tensor& tensor);

}  // namespace weir

#endif  // WEIR_TENSOR_VARIANT_H_

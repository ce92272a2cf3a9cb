// PackedTensor: a TensorProto with fewer values than elements; the last value repeats. A few bytes of a message can
// describe a tensor of any size this way, so the memory is allocated only when the elements are needed. Thread-safe.
#ifndef WEIR_TENSOR_PACKED_TENSOR_H_
#define WEIR_TENSOR_PACKED_TENSOR_H_

#include <memory>
#include <mutex>

#include "base/status.h"
#include "tensor/tensor.h"

namespace tensorflow {
class TensorProto;
}  // namespace tensorflow

namespace weir {

class PackedTensor final {
 public:
  // Returns null if the message has all elements, or is invalid, or the tensor is too small to be worth packing. Checks
  // the values of the message; Expand can still fail for lack of memory.
  static Result<std::shared_ptr<const PackedTensor>> FromProto(const tensorflow::TensorProto& proto);
  ~PackedTensor();

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  size_t num_bytes() const { return static_cast<size_t>(shape_.num_elements()) * ElementSize(dtype_); }
  const tensorflow::TensorProto& proto() const { return *proto_; }
  // Returns the tensor, which is created on the first call. The pointer is valid as long as this object.
  Result<const Tensor*> Expand() const;
  bool operator==(const PackedTensor& other) const;  // by content

 private:
  PackedTensor(DType dtype, const Shape& shape, std::unique_ptr<const tensorflow::TensorProto> proto);

  const DType dtype_;
  const Shape shape_;
  const std::unique_ptr<const tensorflow::TensorProto> proto_;
  mutable std::mutex mu_;
  mutable Tensor expanded_;
};

}  // namespace weir

#endif  // WEIR_TENSOR_PACKED_TENSOR_H_

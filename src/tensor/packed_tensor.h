// PackedTensor: a tensor as a message gives it in short form: fewer values than elements, the last of which repeats.
// A few bytes of a message can ask for any amount of memory this way, so that is allocated when somebody needs the
// elements. Thread-safe.
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
  // Null when the message has all elements, or so few that packing is not worthwhile. Everything but the size of the
  // memory is checked here.
  static Result<std::shared_ptr<const PackedTensor>> FromProto(const tensorflow::TensorProto& proto);
  ~PackedTensor();

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  size_t num_bytes() const { return static_cast<size_t>(shape_.num_elements()) * ElementSize(dtype_); }
  const tensorflow::TensorProto& proto() const { return *proto_; }
  // The tensor, made on the first call and kept. The pointer lives as long as this object.
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

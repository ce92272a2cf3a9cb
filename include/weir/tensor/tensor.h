// Tensor: a typed, shaped view of a shared Buffer. A value type; copies share the memory.
// Thread-compatible, like other values. Elements are shared memory: a writer must make sure that no other thread reads
// them.
#ifndef WEIR_TENSOR_TENSOR_H_
#define WEIR_TENSOR_TENSOR_H_

#include <cstring>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "weir/base/out_of_memory.h"
#include "weir/tensor/buffer.h"
#include "weir/tensor/dtype.h"
#include "weir/tensor/shape.h"

namespace weir {

class Tensor {
 public:
  Tensor() = default;  // no type, no memory; valid() is false

  // Uninitialized for plain types, default-constructed for strings and handles.
  static Result<Tensor> Allocate(Allocator& allocator, DType dtype, const Shape& shape);
  static Result<Tensor> Allocate(DType dtype, const Shape& shape) { return Allocate(CpuAllocator(), dtype, shape); }
  static Result<Tensor> Zeros(DType dtype, const Shape& shape);
  // REQUIRES: `data` points to the elements, inside memory that `buffer` keeps alive.
  static Tensor FromBuffer(DType dtype, const Shape& shape, BufferPtr buffer, void* data);

  // For literals, tests and other small tensors. Throw OutOfMemory if the memory limit refuses the allocation, and
  // Error if the shape does not have as many elements as there are values.
  template <class T>
  static Tensor Scalar(T value);
  static Tensor Scalar(const char* value) { return Scalar(std::string(value)); }
  template <class T>
  static Tensor Vector(absl::Span<const T> values);
  template <class T>
  static Tensor Vector(std::initializer_list<T> values) {
    return Vector(absl::Span<const T>(values.begin(), values.size()));
  }
  template <class T>
  static Tensor Of(const Shape& shape, absl::Span<const T> values);
  template <class T>
  static Tensor Of(const Shape& shape, std::initializer_list<T> values) {
    return Of(shape, absl::Span<const T>(values.begin(), values.size()));
  }

  bool valid() const { return dtype_ != kInvalidType; }
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  int64_t dim(int i) const { return shape_[i]; }
  int64_t num_elements() const { return shape_.num_elements(); }
  size_t num_bytes() const { return static_cast<size_t>(num_elements()) * ElementSize(dtype_); }

  void* raw() const { return data_; }
  // T must be the C++ type of dtype(), and a tensor must have one element for scalar(): else they throw Error
  // (weir/base/error.h).
  template <class T>
  T* data() const {
    if (DTypeOf<T>() != dtype_ && !SameBits<T>()) [[unlikely]]
      FailTypeCheck(DTypeOf<T>());
    return static_cast<T*>(data_);
  }
  template <class T>
  absl::Span<T> flat() const {
    return absl::Span<T>(data<T>(), static_cast<size_t>(num_elements()));
  }
  template <class T>
  T& scalar() const {
    if (num_elements() != 1) [[unlikely]]
      FailCountCheck(shape_, 1);
    return *data<T>();
  }
  // Element i of an int32 or int64 tensor, widened.
  int64_t Int(int64_t i) const { return dtype_ == kInt32 ? data<int32_t>()[i] : data<int64_t>()[i]; }
  // All elements of an int32 or int64 tensor.
  std::vector<int64_t> Ints() const;

  // The same memory with another shape. The number of elements must be equal: else it throws Error.
  Tensor Reshaped(const Shape& shape) const;
  // The same memory with another type of the same element size (for byte-wise kernels).
  Tensor BitcastTo(DType dtype) const;
  // Rows [begin, end) of dimension 0, sharing memory.
  Tensor Slice(int64_t begin, int64_t end) const;
  // The same memory, protected from writes as long as the returned tensor and its copies live: a writer makes a copy
  // first. For values that leave a step.
  Tensor Lease() const;
  // A copy with its own memory.
  Result<Tensor> Clone() const;
  void ZeroFill() const;

  // True if the caller may write in place: this is the only reference, and there are no readers. False for leased
  // memory, and for memory of another process.
  bool OwnsMemoryAlone() const { return buffer_ && buffer_->RefCountIsOne() && !buffer_->has_readers(); }
  bool HasReaders() const { return buffer_ && buffer_->has_readers(); }
  bool SharesMemoryWith(const Tensor& other) const { return buffer_ && buffer_ == other.buffer_; }
  const BufferPtr& buffer() const { return buffer_; }

  // For humans: "float32 [2,2] [[1 2] [3 4]]"; long tensors are truncated.
  std::string ToString(int max_elements = 12) const;
  // In the format of TensorFlow's logs and Print: "[[1 2][3 4]...]".
  std::string SummarizeValue(int max_entries) const;

 private:
  template <class T>
  bool SameBits() const {  // quantized types can be accessed as integers
    return (dtype_ == kQint8 && std::is_same_v<T, int8_t>) || (dtype_ == kQuint8 && std::is_same_v<T, uint8_t>) ||
           (dtype_ == kQint32 && std::is_same_v<T, int32_t>) || (dtype_ == kQint16 && std::is_same_v<T, int16_t>) ||
           (dtype_ == kQuint16 && std::is_same_v<T, uint16_t>);
  }
  [[noreturn]] void FailTypeCheck(DType requested) const;
  [[noreturn]] static void FailCountCheck(const Shape& shape, size_t count);

  DType dtype_ = kInvalidType;
  Shape shape_;
  BufferPtr buffer_;
  void* data_ = nullptr;
};

template <class T>
Tensor Tensor::Of(const Shape& shape, absl::Span<const T> values) {
  if (shape.num_elements() != static_cast<int64_t>(values.size())) [[unlikely]]
    FailCountCheck(shape, values.size());
  Result<Tensor> t = Allocate(DTypeOf<T>(), shape);
  if (!t.ok()) ThrowOutOfMemory(t.status());
  T* out = t->template data<T>();
  for (size_t i = 0; i < values.size(); ++i) out[i] = values[i];
  return *std::move(t);
}
template <class T>
Tensor Tensor::Scalar(T value) {
  return Of<T>(Shape{}, absl::Span<const T>(&value, 1));
}
template <class T>
Tensor Tensor::Vector(absl::Span<const T> values) {
  return Of<T>(Shape{static_cast<int64_t>(values.size())}, values);
}

}  // namespace weir

#endif  // WEIR_TENSOR_TENSOR_H_

#include "device/gpu_memory.h"

namespace weir {

GpuBuffer::~GpuBuffer() {
  if (!whole_) stream_->Free(data());
}

GpuStream* GpuOf(const Tensor& tensor) {
  const auto* const buffer = dynamic_cast<const GpuBuffer*>(tensor.buffer().get());
  return buffer == nullptr ? nullptr : &buffer->stream();
}

Result<Tensor> AllocateOnGpu(const std::shared_ptr<GpuStream>& stream, DType dtype, const Shape& shape) {
  if (!IsPlain(dtype)) return Unimplemented("tensors of type {} cannot be in the memory of a GPU", dtype);
  WEIR_ASSIGN(const int64_t bytes, CheckedMultiply(shape.num_elements(), static_cast<int64_t>(ElementSize(dtype))));
  Result<void*> memory = stream->Allocate(static_cast<size_t>(bytes));
  if (!memory.ok()) return WithContext(memory.status(), fmt::format("tensor of type {} and shape {}", dtype, shape));
  BufferPtr buffer = MakeIntrusive<GpuBuffer>(*memory, static_cast<size_t>(bytes), stream);
  return Tensor::FromBuffer(dtype, shape, std::move(buffer), *memory);
}

Result<Tensor> CopyToGpu(const std::shared_ptr<GpuStream>& stream, const Tensor& tensor) {
  WEIR_ASSIGN(Tensor copy, AllocateOnGpu(stream, tensor.dtype(), tensor.shape()));
  if (tensor.num_bytes() > 0) WEIR_TRY(stream->CopyToDevice(copy.raw(), tensor.raw(), tensor.num_bytes()));
  return copy;
}

Result<Tensor> CopyToHost(const Tensor& tensor) {
  GpuStream* const stream = GpuOf(tensor);
  if (stream == nullptr) return tensor;
  WEIR_ASSIGN(Tensor copy, Tensor::Allocate(tensor.dtype(), tensor.shape()));
  if (copy.num_bytes() > 0) WEIR_TRY(stream->CopyToHost(copy.raw(), tensor.raw(), copy.num_bytes()));
  return copy;
}

}  // namespace weir

// Tensors in the memory of a GPU. Only the GPU may access their elements: code on the host copies them first.
#pragma once

#include <memory>

#include "device/gpu_stream.h"
#include "tensor/tensor.h"

namespace weir {

// A block of device memory. Freed in stream order, so work that is already enqueued may still use it.
class GpuBuffer final : public Buffer {
 public:
  // `whole`: the block that this one is a part of, and that owns the memory; null: this one owns it.
  GpuBuffer(void* data, size_t size, std::shared_ptr<GpuStream> stream, BufferPtr whole = nullptr)
      : Buffer(data, size), stream_(std::move(stream)), whole_(std::move(whole)) {}
  GpuStream& stream() const { return *stream_; }

 private:
  ~GpuBuffer() override;
  const std::shared_ptr<GpuStream> stream_;
  const BufferPtr whole_;
};

// The GPU whose memory holds the tensor; null for host memory.
GpuStream* GpuOf(const Tensor& tensor);
Result<Tensor> AllocateOnGpu(const std::shared_ptr<GpuStream>& stream, DType dtype, const Shape& shape);
// Copies a tensor of host memory to the GPU. Returns before the copy is done. REQUIRES: plain elements.
Result<Tensor> CopyToGpu(const std::shared_ptr<GpuStream>& stream, const Tensor& tensor);
// A tensor of host memory with the same value. Waits. Returns tensors of host memory unchanged.
Result<Tensor> CopyToHost(const Tensor& tensor);

}  // namespace weir

// Buffer: a reference-counted block of memory, shared by one or more tensors. Allocator: creates buffers.
// Blocks are 64-byte aligned. Allocate fails if the block would exceed the memory limit of the process.
#ifndef WEIR_TENSOR_BUFFER_H_
#define WEIR_TENSOR_BUFFER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "weir/base/intrusive_ptr.h"
#include "weir/base/status.h"

namespace weir {

constexpr size_t kBufferAlignment = 64;

class Buffer : public RefCounted {
 public:
  void* data() const { return data_; }
  size_t size() const { return size_; }

  // Counts readers outside the current step, such as a value that is being sent to another task. While there are any,
  // no op may write in place. See Tensor::Lease.
  void AddReader() const { readers_.fetch_add(1, std::memory_order_relaxed); }
  void RemoveReader() const { readers_.fetch_sub(1, std::memory_order_release); }
  bool has_readers() const { return readers_.load(std::memory_order_acquire) > 0; }
  // Set for memory that sparse updates write in place, without checking has_readers(). Readers outside the current step
  // must copy it.
  void set_written_by_rows() const { written_by_rows_.store(true, std::memory_order_relaxed); }
  bool written_in_place() const { return written_by_rows_.load(std::memory_order_relaxed); }

 protected:
  Buffer(void* data, size_t size) : data_(data), size_(size) {}
  void* data_;
  size_t size_;

 private:
  mutable std::atomic<int32_t> readers_{0};
  mutable std::atomic<bool> written_by_rows_{false};
};
using BufferPtr = IntrusivePtr<Buffer>;

// Thread-safe. Must outlive its buffers.
class Allocator {
 public:
  virtual ~Allocator() = default;
  virtual Result<BufferPtr> Allocate(size_t bytes) = 0;
};

// Small blocks come from the heap. Freed blocks over 1 MB are kept in a bounded cache, so that steps do not page-fault
// in steady state. Lives as long as the process.
Allocator& CpuAllocator();

// Wraps memory that the caller owns. `release` runs when the last reference to the buffer is dropped.
BufferPtr WrapMemory(void* data, size_t bytes, std::function<void()> release);

}  // namespace weir

#endif  // WEIR_TENSOR_BUFFER_H_

// Buffer: a counted block of memory under one or more tensors. Allocator: where blocks come from.
// A block is 64-byte aligned; one that the memory limit of the process cannot hold is an error before it is touched.
#ifndef WEIR_TENSOR_BUFFER_H_
#define WEIR_TENSOR_BUFFER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/intrusive_ptr.h"
#include "base/status.h"

namespace weir {

constexpr size_t kBufferAlignment = 64;

class Buffer : public RefCounted {
 public:
  void* data() const { return data_; }
  size_t size() const { return size_; }

  // Readers outside of the step that reads (a value on its way to another task): while there are some, nobody writes in
  // place. See Tensor::Lease.
  void AddReader() const { readers_.fetch_add(1, std::memory_order_relaxed); }
  void RemoveReader() const { readers_.fetch_sub(1, std::memory_order_release); }
  bool has_readers() const { return readers_.load(std::memory_order_acquire) > 0; }
  // Set for memory that is updated row by row: it is copied for such readers, since its writers never copy it.
  void set_written_by_rows() const { written_by_rows_.store(true, std::memory_order_relaxed); }
  bool written_by_rows() const { return written_by_rows_.load(std::memory_order_relaxed); }

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

// Small blocks from the heap; blocks over 1 MB are recycled (bounded), so that a step does not page-fault in
// steady state. Lives as long as the process.
Allocator& CpuAllocator();

// A buffer over memory owned by somebody else; `release` runs when the last tensor lets go.
BufferPtr WrapMemory(void* data, size_t bytes, std::function<void()> release);

}  // namespace weir

#endif  // WEIR_TENSOR_BUFFER_H_

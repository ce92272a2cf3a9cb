// GpuStream: one GPU as an in-order queue of work. Every call returns at once, except those that say that they wait.
// Work runs in the order of the calls, so memory freed with Free may be given out again by the next Allocate.
// Implemented with CUDA (device/cuda/) and on the host for tests (device/fake_gpu/).
// Thread-safe, but the caller orders the calls whose work depends on each other.
#pragma once

#include <absl/types/span.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "tensor/dtype.h"

namespace weir {

// What a GPU is, for attributes and for the choice of launch shapes.
struct GpuInfo {
  int ordinal = 0;
  std::string name;    // "NVIDIA H200"
  std::string bus_id;  // "0000:3b:00.0"
  uint64_t memory_bytes = 0;
  int major = 0;  // compute capability
  int minor = 0;
  int multiprocessors = 1;
  uint64_t l2_bytes = 0;
};

// A kernel as CUDA source text. A value: two programs with equal members are the same program and are compiled once.
struct GpuProgram {
  std::string name;         // in messages and traces: "unary Tanh float"
  std::string function;     // the extern "C" __global__ function of `source`
  std::string_view source;  // lives as long as the process
  // Macros defined before the source: {"T", "float"}, {"EXPR", "tanhf(x)"}.
  std::vector<std::pair<std::string, std::string>> types;
};

// A compiled program, loaded on the device of the stream that returned it. Valid as long as that stream.
using GpuFunction = const struct GpuFunctionImpl*;

struct LaunchShape {
  uint32_t blocks[3] = {1, 1, 1};
  uint32_t threads[3] = {1, 1, 1};
  uint32_t shared_bytes = 0;
};

// c = epilogue(alpha * op(a) @ op(b) + beta * c), row-major: op(a) is [m, k], op(b) is [k, n], c is [m, n].
struct GpuMatMul {
  enum class Epilogue { kNone, kBias, kRelu, kBiasRelu };
  DType type = kFloat;       // of a, b, c and bias: half, bfloat16, float, double, complex64, complex128
  bool transpose_a = false;  // a is [k, m]
  bool transpose_b = false;  // b is [n, k]
  int64_t m = 0, n = 0, k = 0;
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  double alpha = 1;
  double beta = 0;
  // Product i uses a + i * stride_a elements, and so on. A stride of 0 shares the operand.
  int64_t batch = 1;
  int64_t stride_a = 0, stride_b = 0, stride_c = 0;
  Epilogue epilogue = Epilogue::kNone;
  const void* bias = nullptr;  // [n]
};

// A fault that a kernel found in its input, such as an index out of range. The kernel skips the element.
struct GpuFault {
  enum Kind : uint32_t { kNone, kIndex, kLabel, kDivisionByZero, kNegativePower, kNotFinite };
  Kind kind = kNone;
  uint32_t node = 0;     // the number that the launch passed
  int64_t value = 0;     // the index or label
  int64_t limit = 0;     // valid values are 0 to limit - 1
  int64_t position = 0;  // flat position of the value in its tensor
};

// A point in the work of a stream.
class GpuEvent {
 public:
  virtual ~GpuEvent() = default;
  virtual bool IsDone() const = 0;
  // Waits until the work before the point is done.
  virtual Status Wait() const = 0;
  // Time between two points. REQUIRES: both are done.
  virtual double MicrosSince(const GpuEvent& earlier) const = 0;
};

// Recorded work that runs again with the same addresses. Owns the memory that was allocated while it was recorded.
// Destroy it before its stream.
class GpuGraph {
 public:
  virtual ~GpuGraph() = default;
};

class GpuStream {
 public:
  virtual ~GpuStream() = default;
  virtual const GpuInfo& info() const = 0;

  // ---- memory ----
  // 256-byte aligned, uninitialized. ResourceExhausted if neither the device nor the cache has it; the message has the
  // sizes. Zero bytes: null.
  virtual Result<void*> Allocate(size_t bytes) = 0;
  virtual void Free(void* memory) = 0;
  // Allocate fails beyond this many bytes; 0: no limit but the device's.
  virtual void SetMemoryLimit(uint64_t bytes) = 0;
  struct MemoryUse {
    uint64_t in_use = 0;
    uint64_t peak = 0;
    uint64_t reserved = 0;  // taken from the device, including the cache
  };
  virtual MemoryUse memory_use() const = 0;
  // Returns the cached blocks to the device. Waits.
  virtual void ReleaseCache() = 0;
  // Host memory that the device reads and writes without staging.
  virtual Result<void*> AllocatePinned(size_t bytes) = 0;
  virtual void FreePinned(void* memory) = 0;

  // ---- work ----
  // Pageable sources are copied to pinned staging memory before the call returns; a pinned source (AllocatePinned) must
  // stay unchanged until the work is done. During a capture the source must be pinned.
  virtual Status CopyToDevice(void* to, const void* from, size_t bytes) = 0;
  // `to` has the value when the work so far is done. Pageable targets: the call waits.
  virtual Status CopyToHost(void* to, const void* from, size_t bytes) = 0;
  virtual Status CopyOnDevice(void* to, const void* from, size_t bytes) = 0;
  // Writes the pattern (1, 2, 4, 8 or 16 bytes) `count` times.
  virtual Status Fill(void* to, const void* pattern, size_t pattern_bytes, size_t count) = 0;
  // Compiles (or takes from the caches) and loads. Waits for the compiler at first use. Keep the result.
  virtual Result<GpuFunction> Load(const GpuProgram& program) = 0;
  // `args` are the addresses of the arguments, copied before the call returns. An empty shape does nothing.
  virtual Status Launch(GpuFunction function, const LaunchShape& shape, absl::Span<const void* const> args) = 0;
  // k may be 0 if beta is 0 or 1 and there is no epilogue.
  virtual Status MatMul(const GpuMatMul& product) = 0;

  // ---- synchronization ----
  // Waits for all work. Unavailable if the device was lost; it stays lost.
  virtual Status Synchronize() = 0;
  virtual Result<std::unique_ptr<GpuEvent>> Record() = 0;
  // Calls `done` on a thread of the stream when the work so far is done. `done` must not wait for the stream.
  virtual Status WhenDone(std::function<void(Status)> done) = 0;
  // OK, or why the device is lost.
  virtual Status health() const = 0;

  // ---- faults ----
  // Device address of the fault, an argument of the kernels that check their input. The first fault is kept.
  virtual void* fault_address() = 0;
  // Reads and clears the fault. Waits.
  virtual Result<GpuFault> TakeFault() = 0;

  // The number of calls of Launch and of similar calls that may report a fault. Calls during a capture do not count.
  virtual uint64_t num_launches() const = 0;

  // ---- capture ----
  // Between BeginCapture and EndCapture, the work of this thread is recorded instead of run; that of other threads runs
  // as usual. Only Allocate, Free and the calls under "work" are allowed. Memory allocated meanwhile belongs to the
  // graph: freed blocks are reused within the capture, and none is given to others as long as the graph exists. Run the
  // same work once before, so that its programs are loaded and its matrix products are measured. EndCapture also ends
  // a capture that has failed.
  virtual Status BeginCapture() = 0;
  virtual Result<std::unique_ptr<GpuGraph>> EndCapture() = 0;
  // Whether this thread records.
  virtual bool is_capturing() const = 0;
  virtual Status Replay(const GpuGraph& graph) = 0;
};

// Launches with arguments by value. Their types must be those of the kernel's parameters.
template <class... Args>
Status LaunchWith(GpuStream& stream, GpuFunction function, const LaunchShape& shape, const Args&... args) {
  const void* const addresses[] = {&args...};
  return stream.Launch(function, shape, addresses);
}

// One thread per `per_thread` elements.
inline LaunchShape LinearShape(int64_t elements, int64_t per_thread = 1, uint32_t threads = 256) {
  LaunchShape shape;
  const int64_t per_block = per_thread * threads;
  shape.blocks[0] = static_cast<uint32_t>((elements + per_block - 1) / per_block);
  shape.threads[0] = threads;
  return shape;
}

}  // namespace weir

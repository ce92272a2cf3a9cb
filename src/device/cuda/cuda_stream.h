// CudaStream: GpuStream on a real GPU, with the driver API. Loses the device at the first error that CUDA cannot
// recover from: every later call returns Unavailable with the first cause.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "device/cuda/cuda_compiler.h"
#include "device/cuda/cuda_library.h"
#include "device/gpu/block_cache.h"
#include "device/gpu_stream.h"

namespace weir {

class CudaProducts;

// A capture of one thread: where its work is recorded, and the memory that it has allocated.
struct CudaCapture {
  cuda::CUstream stream = nullptr;
  std::unordered_map<void*, size_t> blocks;              // the size class of each
  std::unordered_map<size_t, std::vector<void*>> freed;  // by size class
};

// Shared by the parts of one stream: CUDA context, CUDA stream and the error that lost the device, if any.
class CudaContext final {
 public:
  CudaContext(std::shared_ptr<const CudaDriver> driver, GpuInfo info)
      : driver(std::move(driver)), info(std::move(info)) {}
  ~CudaContext();
  Status Open();
  // Makes the context current on the calling thread. Call it before other calls of the driver.
  Status Enter();
  // Converts the result of a call to a Status. Marks the device as lost if the context is unusable (cuda::kSticky).
  Status Check(cuda::CUresult result, const char* call);
  Status health() const;
  std::string Describe() const;  // "GPU 0 (NVIDIA H200)"

  // Where the calling thread adds work: the main stream or, during its capture, the stream that records.
  cuda::CUstream stream() const {
    const CudaCapture* const recording = capture();
    return recording == nullptr ? main_stream : recording->stream;
  }
  // The capture of the calling thread; null: it does not capture on this device.
  CudaCapture* capture() const { return Current().context == this ? Current().capture : nullptr; }
  void SetCapture(CudaCapture* capture) const { Current() = {capture == nullptr ? nullptr : this, capture}; }

  const std::shared_ptr<const CudaDriver> driver;
  const GpuInfo info;
  cuda::CUcontext context = nullptr;
  cuda::CUstream main_stream = nullptr;

 private:
  struct ThreadCapture {
    const CudaContext* context = nullptr;
    CudaCapture* capture = nullptr;
  };
  static ThreadCapture& Current() {
    thread_local ThreadCapture current;
    return current;
  }
  mutable std::mutex mutex_;
  Status lost_;
  std::atomic<bool> is_lost_{false};
};

// Pinned staging memory for copies from pageable memory to the device: a ring of segments, each reused when the copies
// from it are done.
class CudaStaging final {
 public:
  explicit CudaStaging(CudaContext& context) : context_(context) {}
  ~CudaStaging();
  // Copies `bytes` to the device. Waits only if the ring is full.
  Status Copy(void* to, const void* from, size_t bytes);

 private:
  static constexpr size_t kSegmentBytes = 4 << 20;
  struct Segment {
    char* memory = nullptr;
    cuda::CUevent done = nullptr;
    bool pending = false;
  };
  Status NextSegment();

  CudaContext& context_;
  std::mutex mutex_;
  Segment segments_[4];
  int current_ = -1;
  size_t used_ = kSegmentBytes;
};

// The blocks that belong to graphs. Thread-safe.
class GraphBlocks final {
 public:
  explicit GraphBlocks(GpuBlockCache& memory) : memory_(memory) {}
  void Add(const CudaCapture& capture);
  // Gives the blocks of a graph back to the cache: those in use as soon as they are freed.
  void Remove(const std::vector<void*>& blocks);
  // Returns whether the block belongs to a graph, which keeps it.
  bool Free(void* memory);

 private:
  GpuBlockCache& memory_;
  std::mutex mutex_;
  std::unordered_map<void*, bool> in_use_;
  std::atomic<bool> any_{false};
};

class CudaStream final : public GpuStream {
 public:
  // Opens the device. `compiler` is shared by all devices.
  static Result<std::unique_ptr<GpuStream>> Open(const CudaLibraries& libraries, std::shared_ptr<CudaCompiler> compiler,
                                                 const GpuInfo& info);
  ~CudaStream() override;

  const GpuInfo& info() const override { return context_.info; }
  Result<void*> Allocate(size_t bytes) override;
  void Free(void* memory) override;
  void SetMemoryLimit(uint64_t bytes) override { memory_.SetLimit(bytes); }
  MemoryUse memory_use() const override { return memory_.use(); }
  void ReleaseCache() override;
  Result<void*> AllocatePinned(size_t bytes) override;
  void FreePinned(void* memory) override { pinned_.Free(memory); }
  Status CopyToDevice(void* to, const void* from, size_t bytes) override;
  Status CopyToHost(void* to, const void* from, size_t bytes) override;
  Status CopyOnDevice(void* to, const void* from, size_t bytes) override;
  Status Fill(void* to, const void* pattern, size_t pattern_bytes, size_t count) override;
  Result<GpuFunction> Load(const GpuProgram& program) override;
  Status Launch(GpuFunction function, const LaunchShape& shape, absl::Span<const void* const> args) override;
  Status MatMul(const GpuMatMul& product) override;
  Status Synchronize() override;
  Result<std::unique_ptr<GpuEvent>> Record() override;
  Status WhenDone(std::function<void(Status)> done) override;
  Status health() const override { return context_.health(); }
  void* fault_address() override { return fault_; }
  Result<GpuFault> TakeFault() override;
  uint64_t num_launches() const override { return num_launches_.load(std::memory_order_acquire); }
  Status BeginCapture() override;
  Result<std::unique_ptr<GpuGraph>> EndCapture() override;
  bool is_capturing() const override { return context_.capture() != nullptr; }
  Status Replay(const GpuGraph& graph) override;

 private:
  CudaStream(const CudaLibraries& libraries, std::shared_ptr<CudaCompiler> compiler, const GpuInfo& info);
  Status Start();
  void RunCallbacks();
  Status EmptyMatMul(const GpuMatMul& product);  // k = 0

  CudaContext context_;  // first, so that it is destroyed last
  const cuda::DriverFunctions& driver_;
  const std::shared_ptr<CudaCompiler> compiler_;
  const std::string target_;
  const bool wait_after_launch_;  // WEIR_GPU_WAIT=1: for debugging; an error then names its kernel
  GpuBlockCache memory_;
  GpuBlockCache pinned_;
  CudaStaging staging_;
  std::unique_ptr<CudaProducts> products_;
  void* fault_ = nullptr;
  GraphBlocks graph_blocks_;
  std::atomic<uint64_t> num_launches_{0};

  std::mutex capture_mutex_;  // held by the capturing thread. Guards:
  cuda::CUstream capture_stream_ = nullptr;
  std::unique_ptr<CudaCapture> capture_;
  std::unique_lock<std::mutex> capture_lock_;

  std::mutex functions_mutex_;
  std::unordered_map<std::string, std::unique_ptr<const GpuFunctionImpl>> functions_;

  // The callbacks of WhenDone, called in order by one thread, which starts with the first.
  struct Callback {
    std::unique_ptr<GpuEvent> event;
    std::function<void(Status)> done;
  };
  std::mutex callbacks_mutex_;
  std::condition_variable callback_added_;
  std::deque<Callback> callbacks_;
  bool stopping_ = false;
  std::thread callback_thread_;
};

}  // namespace weir

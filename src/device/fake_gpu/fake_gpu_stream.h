// FakeGpuStream: a GPU for tests. Its memory is host memory that is inaccessible (mprotect) except while work runs that
// lists it (Enqueue). Work runs in order on a separate thread, after a delay. So host code fails if it accesses device
// memory or does not wait for work. It cannot run programs: kernels of the CPU do their work (host_kernel.h).
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "device/gpu_stream.h"

namespace weir {

class FakeGpuStream final : public GpuStream {
 public:
  explicit FakeGpuStream(GpuInfo info);
  ~FakeGpuStream() override;
  FakeGpuStream(const FakeGpuStream&) = delete;
  FakeGpuStream& operator=(const FakeGpuStream&) = delete;

  // Runs `work` on the stream, or records it if this thread captures. Only the blocks that contain `memory` are
  // accessible meanwhile.
  void Enqueue(std::vector<const void*> memory, std::function<void()> work);

  const GpuInfo& info() const override { return info_; }
  Result<void*> Allocate(size_t bytes) override;
  void Free(void* memory) override;
  void SetMemoryLimit(uint64_t bytes) override;
  MemoryUse memory_use() const override;
  void ReleaseCache() override {}
  Result<void*> AllocatePinned(size_t bytes) override;
  void FreePinned(void* memory) override;
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
  Status health() const override { return OkStatus(); }
  void* fault_address() override { return nullptr; }
  Result<GpuFault> TakeFault() override;
  uint64_t num_launches() const override { return 0; }
  Status BeginCapture() override;
  Result<std::unique_ptr<GpuGraph>> EndCapture() override;
  bool is_capturing() const override { return CaptureOfThread() != nullptr; }
  Status Replay(const GpuGraph& graph) override;
  int num_replays() const { return num_replays_.load(); }

 private:
  struct Work {
    std::vector<const void*> memory;
    std::function<void()> run;
  };
  struct Capture {
    const FakeGpuStream* stream = nullptr;
    std::vector<Work> work;
    std::vector<void*> allocated;
    std::vector<void*> freed;  // the blocks of `allocated` that were freed
  };
  friend class FakeGraph;
  static std::unique_ptr<Capture>& ThreadCapture();
  // The capture of the calling thread; null: it does not capture on this stream.
  Capture* CaptureOfThread() const;
  struct Block {
    size_t bytes = 0;       // as requested
    char* begin = nullptr;  // of the mapping
    size_t mapped = 0;
  };
  void RunWork();
  // Makes the blocks that contain `memory` accessible, or not.
  void SetAccess(const std::vector<const void*>& memory, bool accessible);
  Block* FindBlock(const void* memory);
  void Unmap(void* memory);

  const GpuInfo info_;
  mutable std::mutex mu_;
  std::condition_variable changed_;
  std::deque<Work> queue_;
  bool stopping_ = false;
  std::map<const char*, Block> blocks_;  // by the first byte given out
  std::atomic<int> num_replays_{0};
  std::set<void*> owned_by_graphs_;  // not unmapped when they are freed
  uint64_t limit_ = 0;
  MemoryUse use_;
  std::thread thread_;  // declared last: uses the others
};

}  // namespace weir

#include "device/fake_gpu/fake_gpu_stream.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "base/check.h"

namespace weir {
namespace {

constexpr size_t kAlignment = 256;
// Work starts after this delay, so that host code that forgets to wait for it fails.
constexpr std::chrono::microseconds kDelay(20);

Status CannotRunPrograms(std::string_view what) { return Unimplemented("a fake GPU cannot run {}", what); }

class FakeEvent final : public GpuEvent {
 public:
  struct State {
    std::mutex mu;
    std::condition_variable changed;
    bool done = false;
    std::chrono::steady_clock::time_point at;
  };
  explicit FakeEvent(std::shared_ptr<State> state) : state_(std::move(state)) {}
  bool IsDone() const override {
    std::lock_guard lock(state_->mu);
    return state_->done;
  }
  Status Wait() const override {
    std::unique_lock lock(state_->mu);
    state_->changed.wait(lock, [this] { return state_->done; });
    return OkStatus();
  }
  double MicrosSince(const GpuEvent& earlier) const override {
    return std::chrono::duration<double, std::micro>(state_->at - static_cast<const FakeEvent&>(earlier).state_->at)
        .count();
  }

 private:
  const std::shared_ptr<State> state_;
};

}  // namespace

FakeGpuStream::FakeGpuStream(GpuInfo info) : info_(std::move(info)), thread_([this] { RunWork(); }) {}

FakeGpuStream::~FakeGpuStream() {
  {
    std::lock_guard lock(mu_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
  while (!blocks_.empty()) Unmap(const_cast<char*>(blocks_.begin()->first));
}

std::unique_ptr<FakeGpuStream::Capture>& FakeGpuStream::ThreadCapture() {
  thread_local std::unique_ptr<Capture> capture;
  return capture;
}

FakeGpuStream::Capture* FakeGpuStream::CaptureOfThread() const {
  Capture* const capture = ThreadCapture().get();
  return capture != nullptr && capture->stream == this ? capture : nullptr;
}

void FakeGpuStream::Enqueue(std::vector<const void*> memory, std::function<void()> work) {
  if (Capture* const capture = CaptureOfThread(); capture != nullptr) {
    capture->work.push_back({std::move(memory), std::move(work)});
    return;
  }
  std::lock_guard lock(mu_);
  queue_.push_back({std::move(memory), std::move(work)});
  changed_.notify_all();
}

void FakeGpuStream::RunWork() {
  std::unique_lock lock(mu_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    Work work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    std::this_thread::sleep_for(kDelay);
    SetAccess(work.memory, true);
    work.run();
    SetAccess(work.memory, false);
    work.run = nullptr;
    lock.lock();
  }
}

FakeGpuStream::Block* FakeGpuStream::FindBlock(const void* memory) {
  auto at = blocks_.upper_bound(static_cast<const char*>(memory));
  if (at == blocks_.begin()) return nullptr;
  --at;
  return static_cast<const char*>(memory) <= at->first + at->second.bytes ? &at->second : nullptr;
}

void FakeGpuStream::SetAccess(const std::vector<const void*>& memory, bool accessible) {
  std::lock_guard lock(mu_);
  for (const void* address : memory) {
    if (address == nullptr) continue;
    Block* const block = FindBlock(address);
    if (block == nullptr && !accessible) continue;  // the work has freed it
    WEIR_CHECK(block != nullptr, "memory is not on this GPU", info_.ordinal);
    mprotect(block->begin, block->mapped, accessible ? PROT_READ | PROT_WRITE : PROT_NONE);
  }
}

Result<void*> FakeGpuStream::Allocate(size_t bytes) {
  if (bytes == 0) return nullptr;
  std::lock_guard lock(mu_);
  if (limit_ != 0 && bytes > limit_ - std::min<uint64_t>(limit_, use_.in_use)) {
    return ResourceExhausted("out of memory on GPU {}: {} bytes requested, {} of {} in use", info_.ordinal, bytes,
                             use_.in_use, limit_);
  }
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  // The data, rounded up to the alignment, ends at a guard page, so that overruns fail.
  const size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  const size_t mapped = (rounded + page - 1) / page * page;
  void* const begin = mmap(nullptr, mapped + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (begin == MAP_FAILED) return ResourceExhausted("the system refused {} bytes for GPU {}", bytes, info_.ordinal);
  char* const data = static_cast<char*>(begin) + mapped - rounded;
  blocks_.emplace(data, Block{bytes, static_cast<char*>(begin), mapped});
  use_.in_use += bytes;
  use_.reserved = use_.in_use;
  use_.peak = std::max(use_.peak, use_.in_use);
  if (Capture* const capture = CaptureOfThread(); capture != nullptr) capture->allocated.push_back(data);
  return data;
}

void FakeGpuStream::Free(void* memory) {
  if (memory == nullptr) return;
  if (Capture* const capture = CaptureOfThread(); capture != nullptr) {
    const auto& own = capture->allocated;
    if (std::find(own.begin(), own.end(), memory) != own.end()) return capture->freed.push_back(memory);
  }
  std::lock_guard lock(mu_);
  if (owned_by_graphs_.erase(memory) > 0) return;  // the graph unmaps it
  queue_.push_back({{}, [this, memory] { Unmap(memory); }});
  changed_.notify_all();
}

void FakeGpuStream::Unmap(void* memory) {
  std::lock_guard lock(mu_);
  const auto block = blocks_.find(static_cast<const char*>(memory));
  WEIR_CHECK(block != blocks_.end(), "freed memory was not allocated on GPU", info_.ordinal);
  munmap(block->second.begin, block->second.mapped + static_cast<size_t>(sysconf(_SC_PAGESIZE)));
  use_.in_use -= block->second.bytes;
  use_.reserved = use_.in_use;
  blocks_.erase(block);
}

void FakeGpuStream::SetMemoryLimit(uint64_t bytes) {
  std::lock_guard lock(mu_);
  limit_ = bytes;
}

GpuStream::MemoryUse FakeGpuStream::memory_use() const {
  std::lock_guard lock(mu_);
  return use_;
}

Result<void*> FakeGpuStream::AllocatePinned(size_t bytes) {
  if (bytes == 0) return nullptr;
  void* const memory = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  if (memory == nullptr) return ResourceExhausted("the system refused {} bytes of pinned memory", bytes);
  return memory;
}

void FakeGpuStream::FreePinned(void* memory) { std::free(memory); }

Status FakeGpuStream::CopyToDevice(void* to, const void* from, size_t bytes) {
  if (bytes == 0) return OkStatus();
  if (is_capturing()) {
    Enqueue({to}, [to, from, bytes] { std::memcpy(to, from, bytes); });
    return OkStatus();
  }
  const auto* const begin = static_cast<const char*>(from);
  Enqueue({to},
          [to, staged = std::vector<char>(begin, begin + bytes)] { std::memcpy(to, staged.data(), staged.size()); });
  return OkStatus();
}

Status FakeGpuStream::CopyToHost(void* to, const void* from, size_t bytes) {
  if (bytes == 0) return OkStatus();
  Enqueue({from}, [to, from, bytes] { std::memcpy(to, from, bytes); });
  return is_capturing() ? OkStatus() : Synchronize();
}

Status FakeGpuStream::CopyOnDevice(void* to, const void* from, size_t bytes) {
  if (bytes == 0) return OkStatus();
  Enqueue({to, from}, [to, from, bytes] { std::memmove(to, from, bytes); });
  return OkStatus();
}

Status FakeGpuStream::Fill(void* to, const void* pattern, size_t pattern_bytes, size_t count) {
  if (count == 0) return OkStatus();
  const auto* const begin = static_cast<const char*>(pattern);
  Enqueue({to}, [to, count, unit = std::vector<char>(begin, begin + pattern_bytes)] {
    for (size_t i = 0; i < count; ++i) std::memcpy(static_cast<char*>(to) + i * unit.size(), unit.data(), unit.size());
  });
  return OkStatus();
}

Result<GpuFunction> FakeGpuStream::Load(const GpuProgram& program) { return CannotRunPrograms(program.name); }
Status FakeGpuStream::Launch(GpuFunction, const LaunchShape&, absl::Span<const void* const>) {
  return CannotRunPrograms("programs");
}
Status FakeGpuStream::MatMul(const GpuMatMul&) { return CannotRunPrograms("matrix products"); }

Status FakeGpuStream::Synchronize() {
  if (is_capturing()) return FailedPrecondition("a capture cannot wait for its work");
  WEIR_ASSIGN(const std::unique_ptr<GpuEvent> end, Record());
  return end->Wait();
}

Result<std::unique_ptr<GpuEvent>> FakeGpuStream::Record() {
  auto state = std::make_shared<FakeEvent::State>();
  Enqueue({}, [state] {
    std::lock_guard lock(state->mu);
    state->done = true;
    state->at = std::chrono::steady_clock::now();
    state->changed.notify_all();
  });
  return std::unique_ptr<GpuEvent>(std::make_unique<FakeEvent>(std::move(state)));
}

Status FakeGpuStream::WhenDone(std::function<void(Status)> done) {
  Enqueue({}, [done = std::move(done)] { done(OkStatus()); });
  return OkStatus();
}

Result<GpuFault> FakeGpuStream::TakeFault() {
  WEIR_TRY(Synchronize());
  return GpuFault();
}

// The recorded work. It ends, and its memory is unmapped, in stream order.
class FakeGraph final : public GpuGraph {
 public:
  FakeGraph(FakeGpuStream& stream, std::vector<FakeGpuStream::Work> recorded, std::vector<void*> owned)
      : stream_(stream),
        work_(std::make_shared<const std::vector<FakeGpuStream::Work>>(std::move(recorded))),
        owned_(std::move(owned)) {}
  ~FakeGraph() override {
    for (void* memory : owned_) {
      std::lock_guard lock(stream_.mu_);
      // A block that is still in use is freed by its user.
      if (stream_.owned_by_graphs_.erase(memory) > 0) continue;
      stream_.queue_.push_back({{}, [stream = &stream_, memory] { stream->Unmap(memory); }});
    }
    stream_.changed_.notify_all();
  }
  void Replay() const {
    for (size_t i = 0; i < work_->size(); ++i)
      stream_.Enqueue((*work_)[i].memory, [work = work_, i] { (*work)[i].run(); });
  }

 private:
  FakeGpuStream& stream_;
  const std::shared_ptr<const std::vector<FakeGpuStream::Work>> work_;
  const std::vector<void*> owned_;
};

Status FakeGpuStream::BeginCapture() {
  if (ThreadCapture() != nullptr) return FailedPrecondition("this thread captures already");
  ThreadCapture() = std::make_unique<Capture>();
  ThreadCapture()->stream = this;
  return OkStatus();
}

Result<std::unique_ptr<GpuGraph>> FakeGpuStream::EndCapture() {
  WEIR_CHECK(is_capturing(), "EndCapture without BeginCapture");
  const std::unique_ptr<Capture> capture = std::move(ThreadCapture());
  {
    std::lock_guard lock(mu_);
    owned_by_graphs_.insert(capture->allocated.begin(), capture->allocated.end());
    for (void* memory : capture->freed) owned_by_graphs_.erase(memory);
  }
  return std::unique_ptr<GpuGraph>(
      std::make_unique<FakeGraph>(*this, std::move(capture->work), std::move(capture->allocated)));
}

Status FakeGpuStream::Replay(const GpuGraph& graph) {
  ++num_replays_;
  static_cast<const FakeGraph&>(graph).Replay();
  return OkStatus();
}

}  // namespace weir

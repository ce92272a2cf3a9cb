#include "device/cuda/cuda_stream.h"

#include <cstdlib>
#include <cstring>

#include "base/check.h"
#include "device/cuda/cuda_products.h"
#include "device/cuda/cuda_sources.h"

namespace weir {

struct GpuFunctionImpl {
  std::string name;
  cuda::CUmodule module = nullptr;
  cuda::CUfunction function = nullptr;
  mutable std::atomic<uint32_t> shared_bytes{48 << 10};  // dynamic shared memory allowed per block
};

namespace {

cuda::CUdeviceptr Address(const void* memory) { return reinterpret_cast<cuda::CUdeviceptr>(memory); }

class CudaEvent final : public GpuEvent {
 public:
  explicit CudaEvent(CudaContext& context) : context_(context) {}
  ~CudaEvent() override {
    if (event_ != nullptr && context_.Enter().ok()) context_.driver->cuEventDestroy_v2(event_);
  }
  Status Record() {
    WEIR_TRY(context_.Check(context_.driver->cuEventCreate(&event_, cuda::kEventDefault), "cuEventCreate"));
    return context_.Check(context_.driver->cuEventRecord(event_, context_.stream()), "cuEventRecord");
  }
  bool IsDone() const override { return context_.driver->cuEventQuery(event_) != cuda::kNotReady; }
  Status Wait() const override {
    WEIR_TRY(context_.Enter());
    return context_.Check(context_.driver->cuEventSynchronize(event_), "waiting for the GPU");
  }
  double MicrosSince(const GpuEvent& earlier) const override {
    float millis = 0;
    context_.driver->cuEventElapsedTime(&millis, static_cast<const CudaEvent&>(earlier).event_, event_);
    return static_cast<double>(millis) * 1000;
  }

 private:
  CudaContext& context_;
  cuda::CUevent event_ = nullptr;
};

class CudaGraph final : public GpuGraph {
 public:
  CudaGraph(CudaContext& context, GraphBlocks& blocks) : context_(context), blocks_(blocks) {}
  ~CudaGraph() override {
    blocks_.Remove(owned);
    if (!context_.Enter().ok()) return;
    if (executable != nullptr) context_.driver->cuGraphExecDestroy(executable);
    if (graph != nullptr) context_.driver->cuGraphDestroy(graph);
  }
  cuda::CUgraph graph = nullptr;
  cuda::CUgraphExec executable = nullptr;
  std::vector<void*> owned;

 private:
  CudaContext& context_;
  GraphBlocks& blocks_;
};

bool IsSet(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && std::strcmp(value, "1") == 0;
}

}  // namespace

Result<std::unique_ptr<GpuStream>> CudaStream::Open(const CudaLibraries& libraries,
                                                    std::shared_ptr<CudaCompiler> compiler, const GpuInfo& info) {
  std::unique_ptr<CudaStream> stream(new CudaStream(libraries, std::move(compiler), info));
  WEIR_TRY(stream->Start());
  stream->products_ = std::make_unique<CudaProducts>(stream->context_, libraries.products, stream->memory_);
  WEIR_TRY(stream->products_->Open());
  return std::unique_ptr<GpuStream>(std::move(stream));
}

CudaStream::CudaStream(const CudaLibraries& libraries, std::shared_ptr<CudaCompiler> compiler, const GpuInfo& info)
    : context_(libraries.driver, info),
      driver_(*libraries.driver),
      compiler_(std::move(compiler)),
      target_(compiler_->TargetFor(info.major, info.minor)),
      wait_after_launch_(IsSet("WEIR_GPU_WAIT")),
      memory_(
          context_.Describe(),
          [this](size_t bytes) -> void* {
            cuda::CUdeviceptr memory = 0;
            return driver_.cuMemAlloc_v2(&memory, bytes) == cuda::kSuccess ? reinterpret_cast<void*>(memory) : nullptr;
          },
          [this](void* memory) { driver_.cuMemFree_v2(Address(memory)); }),
      pinned_(
          "pinned host memory",
          [this](size_t bytes) -> void* {
            void* memory = nullptr;
            return driver_.cuMemHostAlloc(&memory, bytes, cuda::kHostAllocPortable) == cuda::kSuccess ? memory
                                                                                                      : nullptr;
          },
          [this](void* memory) { driver_.cuMemFreeHost(memory); }),
      staging_(context_),
      graph_blocks_(memory_) {}

Status CudaStream::Start() {
  WEIR_TRY(context_.Open());
  WEIR_ASSIGN(fault_, memory_.Allocate(sizeof(GpuFault)));
  return context_.Check(driver_.cuMemsetD8Async(Address(fault_), 0, sizeof(GpuFault), context_.stream()),
                        "cuMemsetD8Async");
}

CudaStream::~CudaStream() {
  {
    std::lock_guard lock(callbacks_mutex_);
    stopping_ = true;
  }
  callback_added_.notify_all();
  if (callback_thread_.joinable()) callback_thread_.join();
  if (!context_.Enter().ok()) return;
  driver_.cuStreamSynchronize(context_.stream());
  if (capture_stream_ != nullptr) driver_.cuStreamDestroy_v2(capture_stream_);
  products_.reset();
  for (const auto& [key, function] : functions_) driver_.cuModuleUnload(function->module);
}

// ---- memory ----

Result<void*> CudaStream::Allocate(size_t bytes) {
  WEIR_TRY(context_.Enter());
  CudaCapture* const capture = context_.capture();
  if (capture == nullptr || bytes == 0) return memory_.Allocate(bytes);
  const size_t size = GpuBlockCache::ClassOf(bytes);
  std::vector<void*>& freed = capture->freed[size];
  if (!freed.empty()) {
    void* const memory = freed.back();
    freed.pop_back();
    return memory;
  }
  WEIR_ASSIGN(void* const memory, memory_.Allocate(bytes));
  capture->blocks.emplace(memory, size);
  return memory;
}

void CudaStream::Free(void* memory) {
  if (CudaCapture* const capture = context_.capture(); capture != nullptr) {
    if (const auto block = capture->blocks.find(memory); block != capture->blocks.end()) {
      capture->freed[block->second].push_back(memory);
      return;
    }
  }
  if (!graph_blocks_.Free(memory)) memory_.Free(memory);
}

void GraphBlocks::Add(const CudaCapture& capture) {
  std::lock_guard lock(mutex_);
  for (const auto& [memory, size] : capture.blocks) in_use_[memory] = true;
  for (const auto& [size, blocks] : capture.freed) {
    for (void* memory : blocks) in_use_[memory] = false;
  }
  any_.store(!in_use_.empty(), std::memory_order_release);
}

void GraphBlocks::Remove(const std::vector<void*>& blocks) {
  std::lock_guard lock(mutex_);
  for (void* memory : blocks) {
    const auto block = in_use_.extract(memory);
    if (!block.empty() && !block.mapped()) memory_.Free(memory);
  }
  any_.store(!in_use_.empty(), std::memory_order_release);
}

bool GraphBlocks::Free(void* memory) {
  if (!any_.load(std::memory_order_acquire)) return false;
  std::lock_guard lock(mutex_);
  const auto block = in_use_.find(memory);
  if (block == in_use_.end()) return false;
  block->second = false;
  return true;
}

void CudaStream::ReleaseCache() {
  if (Synchronize().ok()) memory_.ReleaseCache();
}

Result<void*> CudaStream::AllocatePinned(size_t bytes) {
  WEIR_TRY(context_.Enter());
  return pinned_.Allocate(bytes);
}

Status CudaStream::CopyToDevice(void* to, const void* from, size_t bytes) {
  if (bytes == 0) return OkStatus();
  WEIR_TRY(context_.Enter());
  if (pinned_.Contains(from, bytes))
    return context_.Check(driver_.cuMemcpyHtoDAsync_v2(Address(to), from, bytes, context_.stream()),
                          "copying to the device");
  if (is_capturing()) return FailedPrecondition("pageable memory cannot be copied to the device during a capture");
  return staging_.Copy(to, from, bytes);
}

Status CudaStream::CopyToHost(void* to, const void* from, size_t bytes) {
  if (bytes == 0) return OkStatus();
  WEIR_TRY(context_.Enter());
  const bool pinned = pinned_.Contains(to, bytes);
  if (is_capturing() && !pinned)
    return FailedPrecondition("the device cannot copy to pageable memory during a capture");
  WEIR_TRY(
      context_.Check(driver_.cuMemcpyDtoHAsync_v2(to, Address(from), bytes, context_.stream()), "copying to the host"));
  return pinned ? OkStatus() : Synchronize();
}

Status CudaStream::CopyOnDevice(void* to, const void* from, size_t bytes) {
  if (bytes == 0 || to == from) return OkStatus();
  WEIR_TRY(context_.Enter());
  return context_.Check(driver_.cuMemcpyDtoDAsync_v2(Address(to), Address(from), bytes, context_.stream()),
                        "copying on the device");
}

Status CudaStream::Fill(void* to, const void* pattern, size_t pattern_bytes, size_t count) {
  if (count == 0) return OkStatus();
  WEIR_TRY(context_.Enter());
  const auto bits = [&]<class T>(T value) {
    std::memcpy(&value, pattern, sizeof(T));
    return value;
  };
  const auto repeats = [&](size_t period) {
    const char* bytes = static_cast<const char*>(pattern);
    return std::memcmp(bytes, bytes + period, pattern_bytes - period) == 0;
  };
  // Halve a wide pattern as long as its halves are equal: fills of up to 4 bytes need no kernel.
  while (pattern_bytes > 4 && repeats(pattern_bytes / 2)) pattern_bytes /= 2, count *= 2;
  switch (pattern_bytes) {
    case 1:
      return context_.Check(driver_.cuMemsetD8Async(Address(to), bits(uint8_t{}), count, context_.stream()),
                            "filling memory");
    case 2:
      return context_.Check(driver_.cuMemsetD16Async(Address(to), bits(uint16_t{}), count, context_.stream()),
                            "filling memory");
    case 4:
      return context_.Check(driver_.cuMemsetD32Async(Address(to), bits(uint32_t{}), count, context_.stream()),
                            "filling memory");
    case 8:
    case 16:
      break;
    default:
      return InvalidArgument("a pattern of {} bytes cannot be filled in", pattern_bytes);
  }
  WEIR_ASSIGN(
      const GpuFunction fill,
      Load({.name = "fill", .function = "FillWide", .source = CudaSource("movement"), .types = {{"T", "Bits64"}}}));
  uint64_t words[2] = {};
  std::memcpy(words, pattern, pattern_bytes);
  if (pattern_bytes == 8) words[1] = words[0];
  const int64_t elements = static_cast<int64_t>(pattern_bytes == 8 ? count : count * 2);
  return LaunchWith(*this, fill, LinearShape(elements), to, elements, words[0], words[1]);
}

// ---- kernels ----

Result<GpuFunction> CudaStream::Load(const GpuProgram& program) {
  std::string key = fmt::format("{}\n{}\n", fmt::ptr(program.source.data()), program.function);
  for (const auto& [name, value] : program.types) key += fmt::format("{} {}\n", name, value);
  std::lock_guard lock(functions_mutex_);
  if (const auto found = functions_.find(key); found != functions_.end()) return found->second.get();
  WEIR_TRY(context_.Enter());
  WEIR_ASSIGN(const Cubin cubin, compiler_->Compile(program, target_));
  auto function = std::make_unique<GpuFunctionImpl>();
  function->name = program.name;
  WEIR_TRY(context_.Check(driver_.cuModuleLoadData(&function->module, cubin->data()), "cuModuleLoadData"));
  WEIR_TRY(context_.Check(driver_.cuModuleGetFunction(&function->function, function->module, program.function.c_str()),
                          "cuModuleGetFunction"));
  return functions_.emplace(std::move(key), std::move(function)).first->second.get();
}

Status CudaStream::Launch(GpuFunction function, const LaunchShape& shape, absl::Span<const void* const> args) {
  for (int i = 0; i < 3; ++i) {
    if (shape.blocks[i] == 0 || shape.threads[i] == 0) return OkStatus();
  }
  WEIR_TRY(context_.Enter());
  if (shape.shared_bytes > function->shared_bytes.load(std::memory_order_relaxed)) {
    WEIR_TRY(context_.Check(driver_.cuFuncSetAttribute(function->function, cuda::kFunctionMaxDynamicShared,
                                                       static_cast<int>(shape.shared_bytes)),
                            "cuFuncSetAttribute"));
    function->shared_bytes.store(shape.shared_bytes, std::memory_order_relaxed);
  }
  if (!is_capturing()) num_launches_.fetch_add(1, std::memory_order_relaxed);
  const cuda::CUresult result = driver_.cuLaunchKernel(
      function->function, shape.blocks[0], shape.blocks[1], shape.blocks[2], shape.threads[0], shape.threads[1],
      shape.threads[2], shape.shared_bytes, context_.stream(), const_cast<void**>(args.data()), nullptr);
  if (result != cuda::kSuccess) return context_.Check(result, fmt::format("launching '{}'", function->name).c_str());
  if (!wait_after_launch_ || is_capturing()) return OkStatus();
  return context_.Check(driver_.cuStreamSynchronize(context_.stream()), fmt::format("'{}'", function->name).c_str());
}

Status CudaStream::EmptyMatMul(const GpuMatMul& product) {
  if (product.epilogue != GpuMatMul::Epilogue::kNone) return Unimplemented("an epilogue of an empty matrix product");
  if (product.beta == 1) return OkStatus();
  if (product.beta != 0) return Unimplemented("an empty matrix product with a beta of {}", product.beta);
  const char zero = 0;
  const size_t size = ElementSize(product.type);
  const auto bytes = static_cast<size_t>(product.m * product.n) * size;
  for (int64_t i = 0; i < product.batch; ++i) {
    const auto offset = static_cast<size_t>(i * product.stride_c) * size;
    WEIR_TRY(Fill(static_cast<char*>(product.c) + offset, &zero, 1, bytes));
  }
  return OkStatus();
}

Status CudaStream::MatMul(const GpuMatMul& product) {
  WEIR_TRY(context_.Enter());
  if (product.m == 0 || product.n == 0 || product.batch == 0) return OkStatus();
  if (product.k == 0) return EmptyMatMul(product);
  return products_->Run(product, /*may_measure=*/!is_capturing());
}

// ---- synchronization ----

Status CudaStream::Synchronize() {
  WEIR_TRY(context_.Enter());
  return context_.Check(driver_.cuStreamSynchronize(context_.stream()), "waiting for the GPU");
}

Result<std::unique_ptr<GpuEvent>> CudaStream::Record() {
  WEIR_TRY(context_.Enter());
  auto event = std::make_unique<CudaEvent>(context_);
  WEIR_TRY(event->Record());
  return std::unique_ptr<GpuEvent>(std::move(event));
}

Status CudaStream::WhenDone(std::function<void(Status)> done) {
  WEIR_ASSIGN(std::unique_ptr<GpuEvent> event, Record());
  std::lock_guard lock(callbacks_mutex_);
  callbacks_.push_back({std::move(event), std::move(done)});
  if (!callback_thread_.joinable()) callback_thread_ = std::thread([this] { RunCallbacks(); });
  callback_added_.notify_one();
  return OkStatus();
}

void CudaStream::RunCallbacks() {
  std::unique_lock lock(callbacks_mutex_);
  while (true) {
    callback_added_.wait(lock, [this] { return stopping_ || !callbacks_.empty(); });
    if (callbacks_.empty()) return;
    Callback callback = std::move(callbacks_.front());
    callbacks_.pop_front();
    lock.unlock();
    callback.done(callback.event->Wait());
    callback = {};
    lock.lock();
  }
}

Result<GpuFault> CudaStream::TakeFault() {
  GpuFault fault;
  WEIR_TRY(CopyToHost(&fault, fault_, sizeof(fault)));
  if (fault.kind != GpuFault::kNone) {
    const char zero = 0;
    WEIR_TRY(Fill(fault_, &zero, 1, sizeof(fault)));
  }
  return fault;
}

// ---- capture ----

Status CudaStream::BeginCapture() {
  WEIR_TRY(context_.Enter());
  if (is_capturing()) return FailedPrecondition("this thread captures already");
  std::unique_lock lock(capture_mutex_);
  if (capture_stream_ == nullptr) {
    WEIR_TRY(context_.Check(driver_.cuStreamCreate(&capture_stream_, cuda::kStreamNonBlocking), "cuStreamCreate"));
  }
  WEIR_TRY(
      context_.Check(driver_.cuStreamBeginCapture_v2(capture_stream_, cuda::kCaptureRelaxed), "cuStreamBeginCapture"));
  capture_ = std::make_unique<CudaCapture>();
  capture_->stream = capture_stream_;
  context_.SetCapture(capture_.get());
  capture_lock_ = std::move(lock);
  return OkStatus();
}

Result<std::unique_ptr<GpuGraph>> CudaStream::EndCapture() {
  WEIR_CHECK(is_capturing(), "EndCapture without BeginCapture");
  context_.SetCapture(nullptr);
  const std::unique_ptr<CudaCapture> capture = std::move(capture_);
  const std::unique_lock<std::mutex> lock = std::move(capture_lock_);
  auto graph = std::make_unique<CudaGraph>(context_, graph_blocks_);
  for (const auto& [memory, size] : capture->blocks) graph->owned.push_back(memory);
  graph_blocks_.Add(*capture);
  WEIR_TRY(context_.Enter());
  WEIR_TRY(context_.Check(driver_.cuStreamEndCapture(capture->stream, &graph->graph), "cuStreamEndCapture"));
  WEIR_TRY(
      context_.Check(driver_.cuGraphInstantiateWithFlags(&graph->executable, graph->graph, 0), "cuGraphInstantiate"));
  WEIR_TRY(context_.Check(driver_.cuGraphUpload(graph->executable, context_.stream()), "cuGraphUpload"));
  return std::unique_ptr<GpuGraph>(std::move(graph));
}

Status CudaStream::Replay(const GpuGraph& graph) {
  WEIR_TRY(context_.Enter());
  return context_.Check(driver_.cuGraphLaunch(static_cast<const CudaGraph&>(graph).executable, context_.stream()),
                        "cuGraphLaunch");
}

}  // namespace weir

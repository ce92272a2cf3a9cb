// CudaContext and CudaStaging.
#include <algorithm>
#include <cstring>

#include "device/cuda/cuda_stream.h"

namespace weir {

CudaContext::~CudaContext() {
  if (context == nullptr) return;
  driver->cuCtxSetCurrent(context);
  if (main_stream != nullptr) driver->cuStreamDestroy_v2(main_stream);
  driver->cuDevicePrimaryCtxRelease_v2(info.ordinal);
}

Status CudaContext::Open() {
  cuda::CUdevice device = 0;
  WEIR_TRY(Check(driver->cuDeviceGet(&device, info.ordinal), "cuDeviceGet"));
  WEIR_TRY(Check(driver->cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain"));
  WEIR_TRY(Enter());
  return Check(driver->cuStreamCreate(&main_stream, cuda::kStreamNonBlocking), "cuStreamCreate");
}

Status CudaContext::Enter() {
  if (is_lost_.load(std::memory_order_acquire)) return health();
  // Other libraries of the process may have changed the thread's context, so it is set every time.
  return Check(driver->cuCtxSetCurrent(context), "cuCtxSetCurrent");
}

std::string CudaContext::Describe() const { return fmt::format("GPU {} ({})", info.ordinal, info.name); }

Status CudaContext::Check(cuda::CUresult result, const char* call) {
  if (result == cuda::kSuccess) return OkStatus();
  const Status error = driver->Check(result, call);
  if (result == cuda::kOutOfMemory)
    return ResourceExhausted("{} is out of memory: {}", Describe(), std::string(error.message()));
  if (std::find(std::begin(cuda::kSticky), std::end(cuda::kSticky), result) == std::end(cuda::kSticky)) return error;
  std::lock_guard lock(mutex_);
  if (lost_.ok()) {
    lost_ = Unavailable("{} was lost and cannot be used until the process restarts: {}", Describe(),
                        std::string(error.message()));
    is_lost_.store(true, std::memory_order_release);
  }
  return lost_;
}

Status CudaContext::health() const {
  std::lock_guard lock(mutex_);
  return lost_;
}

CudaStaging::~CudaStaging() {
  for (Segment& segment : segments_) {
    if (segment.done != nullptr) context_.driver->cuEventDestroy_v2(segment.done);
    if (segment.memory != nullptr) context_.driver->cuMemFreeHost(segment.memory);
  }
}

Status CudaStaging::NextSegment() {
  const cuda::DriverFunctions& driver = *context_.driver;
  if (current_ >= 0) {
    WEIR_TRY(context_.Check(driver.cuEventRecord(segments_[current_].done, context_.stream()), "cuEventRecord"));
    segments_[current_].pending = true;
  }
  const int next = (current_ + 1) % static_cast<int>(std::size(segments_));
  Segment& segment = segments_[next];
  if (segment.memory == nullptr) {
    void* memory = nullptr;
    WEIR_TRY(context_.Check(driver.cuMemHostAlloc(&memory, kSegmentBytes, cuda::kHostAllocPortable), "cuMemHostAlloc"));
    segment.memory = static_cast<char*>(memory);
    WEIR_TRY(context_.Check(driver.cuEventCreate(&segment.done, cuda::kEventDefault), "cuEventCreate"));
  }
  if (segment.pending) WEIR_TRY(context_.Check(driver.cuEventSynchronize(segment.done), "cuEventSynchronize"));
  segment.pending = false;
  current_ = next;
  used_ = 0;
  return OkStatus();
}

Status CudaStaging::Copy(void* to, const void* from, size_t bytes) {
  constexpr size_t kAlignment = 256;
  std::lock_guard lock(mutex_);
  for (size_t done = 0; done < bytes;) {
    if (used_ >= kSegmentBytes) WEIR_TRY(NextSegment());
    const size_t part = std::min(bytes - done, kSegmentBytes - used_);
    char* const staged = segments_[current_].memory + used_;
    std::memcpy(staged, static_cast<const char*>(from) + done, part);
    WEIR_TRY(context_.Check(context_.driver->cuMemcpyHtoDAsync_v2(reinterpret_cast<cuda::CUdeviceptr>(to) + done,
                                                                  staged, part, context_.stream()),
                            "copying to the device"));
    done += part;
    used_ += (part + kAlignment - 1) / kAlignment * kAlignment;
  }
  return OkStatus();
}

}  // namespace weir

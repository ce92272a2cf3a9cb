// Random numbers on a GPU: the same sequences as the CPU (base/philox.h, ops/math/random_numbers.h). Uniform numbers
// and integers have equal bits; normal numbers differ by the last digits of log, sin and cos.
#pragma once

#include "base/philox.h"
#include "device/gpu_stream.h"
#include "tensor/dtype.h"

namespace weir::gpu {

// The state of a generator in device memory: counter, then key.
struct PhiloxState {
  explicit PhiloxState(const Philox& philox) {
    for (size_t i = 0; i < 4; ++i) words[i] = philox.counter()[i];
    for (size_t i = 0; i < 2; ++i) words[4 + i] = philox.key()[i];
  }
  uint32_t words[6];
};

enum class Distribution { kUniform, kNormal, kTruncatedNormal };
// `state` is the device address of a PhiloxState. type: half, bfloat16, float, double.
Status FillRandom(GpuStream& stream, Distribution distribution, DType type, const void* state, void* to, int64_t n);
// Integers in [low, low + range). type: int32, int64.
Status FillRandomIntegers(GpuStream& stream, DType type, const void* state, void* to, int64_t n, int64_t low,
                          uint64_t range);

std::vector<GpuProgram> RandomPrograms(DType type);

}  // namespace weir::gpu

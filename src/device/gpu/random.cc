#include "device/gpu/random.h"

#include "device/cuda/cuda_sources.h"
#include "device/gpu/types.h"

namespace weir::gpu {
namespace {

GpuProgram ProgramOf(std::string_view function, DType type, std::string_view distribution = "Uniform") {
  return {.name = fmt::format("{} {} of {}", function, distribution, TypeText(type)),
          .function = std::string(function),
          .source = CudaSource("random"),
          .types = {{"T", std::string(TypeText(type))}, {"DISTRIBUTION", std::string(distribution)}}};
}

LaunchShape ShapeOf(DType type, int64_t n) { return LinearShape(n, ElementSize(type) == 8 ? 2 : 4); }

}  // namespace

Status FillRandom(GpuStream& stream, Distribution distribution, DType type, const void* state, void* to, int64_t n) {
  if (n == 0) return OkStatus();
  const bool truncated = distribution == Distribution::kTruncatedNormal;
  WEIR_ASSIGN(const GpuFunction run,
              stream.Load(ProgramOf(truncated ? "FillTruncated" : "FillRandom", type,
                                    distribution == Distribution::kUniform ? "Uniform" : "Normal")));
  return LaunchWith(stream, run, ShapeOf(type, n), state, to, n);
}

Status FillRandomIntegers(GpuStream& stream, DType type, const void* state, void* to, int64_t n, int64_t low,
                          uint64_t range) {
  if (n == 0) return OkStatus();
  WEIR_ASSIGN(const GpuFunction run, stream.Load(ProgramOf("FillIntegers", type)));
  return LaunchWith(stream, run, ShapeOf(type, n), state, to, n, low, range);
}

std::vector<GpuProgram> RandomPrograms(DType type) {
  if (type == kInt32 || type == kInt64) return {ProgramOf("FillIntegers", type)};
  if (!IsFloating(type)) return {};
  return {ProgramOf("FillRandom", type, "Uniform"), ProgramOf("FillRandom", type, "Normal"),
          ProgramOf("FillTruncated", type)};
}

}  // namespace weir::gpu

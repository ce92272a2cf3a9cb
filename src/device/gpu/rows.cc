#include "device/gpu/rows.h"

#include <algorithm>
#include <bit>

#include "device/cuda/cuda_sources.h"
#include "device/gpu/types.h"

namespace weir::gpu {
namespace {

GpuProgram ProgramOf(std::string_view function, DType type, DType label = kInt32, bool max = true) {
  return {.name = fmt::format("{} of {}", function, TypeText(type)),
          .function = std::string(function),
          .source = CudaSource("rows"),
          .types = {{"T", std::string(TypeText(type))},
                    {"L", std::string(TypeText(label))},
                    {"BETTER", max ? ">" : "<"},
                    {"WORST", max ? "Limits<W>::Lowest()" : "Limits<W>::Highest()"}}};
}

// One block per row, with as many threads as the row can use.
LaunchShape RowShape(int64_t rows, int64_t n) {
  LaunchShape shape;
  shape.blocks[0] = static_cast<uint32_t>(rows);
  shape.threads[0] = static_cast<uint32_t>(
      std::clamp<int64_t>(static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(n + 3) / 4)), 32, 1024));
  return shape;
}

}  // namespace

Status Softmax(GpuStream& stream, DType type, const void* x, void* y, int64_t rows, int64_t n, bool log) {
  if (rows == 0 || n == 0) return OkStatus();
  WEIR_ASSIGN(const GpuFunction run, stream.Load(ProgramOf(log ? "LogSoftmax" : "Softmax", type)));
  return LaunchWith(stream, run, RowShape(rows, n), x, y, n);
}

Status CrossEntropy(GpuStream& stream, DType type, const RowView& logits, const RowView& labels, void* loss,
                    void* backprop, int64_t rows, int64_t n) {
  if (rows == 0) return OkStatus();
  const char zero = 0;
  if (n == 0) return stream.Fill(loss, &zero, 1, static_cast<size_t>(rows) * ElementSize(type));
  WEIR_ASSIGN(const GpuFunction run, stream.Load(ProgramOf("CrossEntropy", type)));
  return LaunchWith(stream, run, RowShape(rows, n), logits.data, labels.data, loss, backprop, n, logits.row_stride,
                    logits.column_stride, labels.row_stride, labels.column_stride);
}

Status SparseCrossEntropy(GpuStream& stream, DType type, DType label_type, const void* logits, const void* labels,
                          void* loss, void* backprop, int64_t rows, int64_t n, uint32_t node) {
  if (rows == 0) return OkStatus();
  WEIR_ASSIGN(const GpuFunction run, stream.Load(ProgramOf("SparseCrossEntropy", type, label_type)));
  return LaunchWith(stream, run, RowShape(rows, n), logits, labels, loss, backprop, n, stream.fault_address(), node);
}

Status ArgExtreme(GpuStream& stream, bool max, DType type, const void* x, DType index_type, void* y, int64_t outer,
                  int64_t n, int64_t inner) {
  const int64_t results = outer * inner;
  if (results == 0) return OkStatus();
  WEIR_ASSIGN(const GpuFunction run, stream.Load(ProgramOf("ArgExtreme", type, index_type, max)));
  return LaunchWith(stream, run, LinearShape(results * 32), x, y, results, n, inner);
}

Status InTopK(GpuStream& stream, const void* predictions, DType target_type, const void* targets, void* y, int64_t rows,
              int64_t n, int64_t k) {
  if (rows == 0) return OkStatus();
  WEIR_ASSIGN(const GpuFunction run, stream.Load(ProgramOf("InTopK", kFloat, target_type)));
  return LaunchWith(stream, run, RowShape(rows, n), predictions, targets, y, n, k);
}

std::vector<GpuProgram> RowPrograms(DType type) {
  std::vector<GpuProgram> programs = {ProgramOf("ArgExtreme", type), ProgramOf("ArgExtreme", type, kInt64, false)};
  if (!IsFloating(type)) return programs;
  for (const char* function : {"Softmax", "LogSoftmax", "CrossEntropy", "SparseCrossEntropy"})
    programs.push_back(ProgramOf(function, type, kInt64));
  if (type == kFloat) programs.push_back(ProgramOf("InTopK", type, kInt64));
  return programs;
}

}  // namespace weir::gpu

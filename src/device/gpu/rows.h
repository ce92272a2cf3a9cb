// Ops on the rows of matrices on a GPU: softmax, cross entropies, argmax and argmin, in_top_k.
#pragma once

#include "device/gpu_stream.h"
#include "tensor/dtype.h"

namespace weir::gpu {

// x and y are [rows, n]; type is a float type. y may be x.
Status Softmax(GpuStream& stream, DType type, const void* x, void* y, int64_t rows, int64_t n, bool log);

// A matrix that may be broadcast: a stride of 0 repeats its only row or column.
struct RowView {
  const void* data = nullptr;
  int64_t row_stride = 0;
  int64_t column_stride = 1;
};
// loss [rows], backprop [rows, n].
Status CrossEntropy(GpuStream& stream, DType type, const RowView& logits, const RowView& labels, void* loss,
                    void* backprop, int64_t rows, int64_t n);
// labels: int32 or int64 [rows]. A label out of range is a fault (kLabel) of the node.
Status SparseCrossEntropy(GpuStream& stream, DType type, DType label_type, const void* logits, const void* labels,
                          void* loss, void* backprop, int64_t rows, int64_t n, uint32_t node);

// ArgMax or ArgMin of [outer, n, inner] along n. REQUIRES: n > 0.
Status ArgExtreme(GpuStream& stream, bool max, DType type, const void* x, DType index_type, void* y, int64_t outer,
                  int64_t n, int64_t inner);

// predictions: float [rows, n]; y: bool [rows].
Status InTopK(GpuStream& stream, const void* predictions, DType target_type, const void* targets, void* y, int64_t rows,
              int64_t n, int64_t k);

// Every program of the type, for tests that compile everything.
std::vector<GpuProgram> RowPrograms(DType type);

}  // namespace weir::gpu

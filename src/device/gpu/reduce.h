// Reductions on a GPU. Repeatable: equal inputs give equal bits.
#pragma once

#include <absl/types/span.h>

#include <string_view>
#include <vector>

#include "device/gpu_stream.h"
#include "tensor/dtype.h"

namespace weir::gpu {

// Sum, Mean, Prod, Max, Min, All, Any and L2Loss, by TensorFlow's names.
struct ReduceOp {
  std::string_view name;
  std::string_view kinds;  // as in ElementOp
  std::string_view take;   // what element x contributes
  std::string_view init;
  std::string_view merge;   // combines accumulators a and b
  std::string_view finish;  // the result from accumulator a of n elements
};
absl::Span<const ReduceOp> ReduceOps();
// The types that the op has a kernel for. Empty if there is no such op.
std::vector<DType> ReduceTypes(std::string_view name);

// Reduces x, of shape `dims`, over the axes with reduced[i]. `y` has the kept dimensions in order. Without elements to
// reduce, the results are finish(init): 0 for Sum, 1 for Prod, NaN for Mean of floats.
Status Reduce(GpuStream& stream, std::string_view op, DType type, const void* x, absl::Span<const int64_t> dims,
              absl::Span<const bool> reduced, void* y);

// Every program of the type, for tests that compile everything.
std::vector<GpuProgram> ReducePrograms(DType type);

}  // namespace weir::gpu

// Elementwise ops on a GPU: one generated kernel computes any number of them with broadcasting. Also the table of their
// source expressions, keyed by TensorFlow's op name.
#pragma once

#include <absl/types/span.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "device/gpu_stream.h"
#include "tensor/dtype.h"

namespace weir::gpu {

// A row of the table: "Tanh" is tanh(x). The values are x, y and z in the type that the op computes in (float for half
// and bfloat16), alpha is the op's attribute.
struct ElementOp {
  std::string_view name;
  int inputs;
  std::string_view kinds;  // letters of the types: f floats, s signed and u unsigned integers, c complex, b bool
  std::string_view expression;
  bool is_test = false;  // the result is bool
};
absl::Span<const ElementOp> ElementOps();
// Null if there is no such op.
const ElementOp* FindElementOp(std::string_view name);
// The types of the op's first input that is not a condition. Empty if there is no such op.
std::vector<DType> ElementTypes(std::string_view name);
// The type of the result for an input type. Not for Cast, whose result type is ElementStep::to.
DType ElementResult(const ElementOp& op, DType input);

struct ElementInput {
  const void* data = nullptr;
  DType type = kFloat;
  absl::Span<const int64_t> dims;
};
// `inputs` are indices into a list of values: the inputs of the kernel, then the results of the earlier steps.
struct ElementStep {
  std::string_view op;
  std::array<int, 3> inputs = {0, 1, 2};
  double alpha = 0;
  DType to = kInvalidType;  // of Cast
};

// Computes the last step. REQUIRES: inputs broadcast to `dims`; the result does not overlap inputs, except one of equal
// shape and type that it replaces. Faults (division by zero) carry the number of the node. InvalidArgument if a step is
// unknown or has no expression for its type.
Status Elementwise(GpuStream& stream, absl::Span<const ElementInput> inputs, absl::Span<const ElementStep> steps,
                   void* out, absl::Span<const int64_t> dims, uint32_t node = 0);

// Single ops.
Status Unary(GpuStream& stream, std::string_view op, DType type, const void* x, void* y, int64_t n, double alpha = 0);
Status Binary(GpuStream& stream, std::string_view op, DType type, const void* x, absl::Span<const int64_t> x_dims,
              const void* y, absl::Span<const int64_t> y_dims, void* z, absl::Span<const int64_t> z_dims,
              uint32_t node = 0, double alpha = 0);
Status Cast(GpuStream& stream, DType from, const void* x, DType to, void* y, int64_t n);
// Any broadcastable condition: Select and SelectV2.
Status Select(GpuStream& stream, DType type, const ElementInput& condition, const ElementInput& x,
              const ElementInput& y, void* z, absl::Span<const int64_t> dims);

// The program that Elementwise would launch, for tests that compile everything: `rank` dimensions, `per_thread`
// elements.
Result<GpuProgram> ElementwiseProgram(absl::Span<const DType> inputs, absl::Span<const ElementStep> steps, int rank,
                                      int per_thread, bool wide_index = false, uint32_t scalars = 0);

}  // namespace weir::gpu

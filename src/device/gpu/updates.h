// Optimizer updates and scatter updates on a GPU. Repeatable: rows with several gradients take them in order.
#pragma once

#include <absl/types/span.h>

#include <array>
#include <string_view>
#include <vector>

#include "device/gpu_stream.h"
#include "tensor/dtype.h"

namespace weir::gpu {

// A row of the table: the statements of an op's rule (src/ops/state/update_rules.cc has the same formulas).
struct UpdateOp {
  std::string_view name;  // the column `gpu_rule` of the table in src/ops/state/apply_ops.cc
  int slots;              // the parameter included
  int scalars;
  std::string_view rule;
};
absl::Span<const UpdateOp> UpdateOps();
// REQUIRES: the table has the rule.
const UpdateOp& UpdateOpOf(std::string_view rule);

// One parameter. All addresses are of the device; the scalars have the type of the parameter, in the op's order.
struct UpdateTensor {
  std::array<void*, 4> slots = {};
  const void* gradient = nullptr;
  int64_t size = 0;
  std::array<const void*, 6> scalars = {};
};
// Updates any number of parameters of one rule, 16 in each launch. `flag` is use_nesterov, update_slots or
// multiply_linear_by_lr. type: half, bfloat16, float, double.
Status UpdateDense(GpuStream& stream, const UpdateOp& op, DType type, bool flag,
                   absl::Span<const UpdateTensor> tensors);

// Row numbers in ascending order, with the positions that they came from. Owns device memory.
class SortedRows final {
 public:
  // Indices (int32 or int64) out of [0, limit) are skipped and are a fault (kIndex) of the node. limit < 2^32.
  static Result<SortedRows> Make(GpuStream& stream, DType index_type, const void* indices, int64_t count, int64_t limit,
                                 uint32_t node);
  SortedRows(SortedRows&& other) noexcept;
  SortedRows& operator=(SortedRows&&) = delete;
  ~SortedRows();
  const void* rows() const { return rows_; }
  const void* order() const { return order_; }
  int64_t count() const { return count_; }
  int64_t limit() const { return limit_; }

 private:
  SortedRows(GpuStream& stream, int64_t count, int64_t limit) : stream_(&stream), count_(count), limit_(limit) {}
  GpuStream* stream_;
  void* rows_ = nullptr;
  void* order_ = nullptr;
  int64_t count_;
  int64_t limit_;
};

// The gradient has rows of `width` elements; tensor.size is not used.
Status UpdateRows(GpuStream& stream, const UpdateOp& op, DType type, bool flag, const SortedRows& rows, int64_t width,
                  const UpdateTensor& tensor);
// to[row] = to[row] (merge) from[k] for all k with that row, in order. merge: "a + b", "b", "a < b ? b : a", ...
Status MergeRows(GpuStream& stream, DType type, std::string_view merge, const SortedRows& rows, int64_t width, void* to,
                 const void* from);

// Every program of the type, for tests that compile everything.
std::vector<GpuProgram> UpdatePrograms(DType type);

}  // namespace weir::gpu

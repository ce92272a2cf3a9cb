// The sum of the gradients in an accumulator since the last take. Not thread-safe: the accumulator locks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace weir::ops {

// One gradient: dense, or a set of rows of a dense one.
struct GradientInput {
  Tensor values;
  const Tensor* indices = nullptr;      // null: dense
  const Tensor* dense_shape = nullptr;  // sparse gradients only; null: unknown
};

class GradientSum {
 public:
  virtual ~GradientSum() = default;
  // An error (the shape does not match the declared one or that of earlier gradients) leaves the sum unchanged.
  virtual Status Add(GradientInput gradient) = 0;
  // Returns the outputs of a take: the tensor of a dense sum; indices, values and shape of a sparse one. With `mean`, a
  // dense sum is divided by `count` and each row of a sparse sum by the number of gradients that contained it.
  virtual Result<std::vector<Tensor>> Finish(int64_t count, bool mean) = 0;
};

// REQUIRES: dtype is half, float or double. All gradients must be compatible with `shape`.
Result<std::unique_ptr<GradientSum>> MakeDenseSum(DType dtype, const PartialShape& shape);
Result<std::unique_ptr<GradientSum>> MakeSparseSum(DType dtype, const PartialShape& shape);

}  // namespace weir::ops

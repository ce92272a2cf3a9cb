// What an accumulator has added up since it was last taken from. Not thread-safe: the accumulator guards it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace weir::ops {

// A gradient as it arrives: dense, or rows of one.
struct GradientInput {
  Tensor values;
  const Tensor* indices = nullptr;      // null: dense
  const Tensor* dense_shape = nullptr;  // of a sparse one; null: not known
};

class GradientSum {
 public:
  virtual ~GradientSum() = default;
  // An error (a shape that does not fit the declared one or what was added before) changes nothing.
  virtual Status Add(GradientInput gradient) = 0;
  // The outputs of taking: of a dense sum the tensor; of a sparse one indices, values and shape. With `mean` it is
  // divided by `count`; every row of a sparse one by the number of gradients that had it.
  virtual Result<std::vector<Tensor>> Finish(int64_t count, bool mean) = 0;
};

// dtype: half, float or double. `shape` is what all gradients must fit.
Result<std::unique_ptr<GradientSum>> MakeDenseSum(DType dtype, const PartialShape& shape);
Result<std::unique_ptr<GradientSum>> MakeSparseSum(DType dtype, const PartialShape& shape);

}  // namespace weir::ops

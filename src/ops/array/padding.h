// Paddings: a [rank, 2] tensor with the number of elements to add before and after each dimension.
#pragma once

#include <vector>

#include "op/shape_context.h"

namespace weir::ops {

struct Padding {
  int64_t before = 0;
  int64_t after = 0;
};

// Checks the shape of the tensor and that no padding is negative.
Result<std::vector<Padding>> ReadPaddings(const Tensor& paddings, int rank);
Result<int64_t> PaddedSize(int64_t size, const Padding& padding);

// The shape function of the Pad family: input 0 padded by input 1.
Status PaddedShape(ShapeContext& ctx);
// The inverse, for gradients.
Status UnpaddedShape(ShapeContext& ctx);

}  // namespace weir::ops

// Integers that arrive as tensors (axes, sizes, paddings, indices): read once, widened, checked. A caller works on the
// copy, so that a variable that changes meanwhile cannot get past a check.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "op/kernel.h"
#include "op/shape_context.h"

namespace weir::ops {

using Ints = std::vector<int64_t>;

// Element i of a tensor of any integer type.
int64_t IntAt(const Tensor& t, int64_t i);
// All elements of a tensor of any integer type.
Ints IntsOf(const Tensor& t);
// Errors say `what` the input is meant to be.
Result<int64_t> ScalarInt(const Tensor& t, std::string_view what);
Result<Ints> VectorInts(const Tensor& t, std::string_view what);
// A shape out of a vector's values, checked for sign and size.
Result<Shape> ShapeFromTensor(const Tensor& t, std::string_view what);
// axis in [-rank, rank) made non-negative; the error gives the range.
Result<int> CheckedAxis(int64_t axis, int rank, std::string_view what);

// An int32 or int64 vector.
Result<Tensor> IntVector(DType dtype, absl::Span<const int64_t> values);

// --- for shape functions ---
// The constant scalar in input i, or nothing.
std::optional<int64_t> ConstantInt(ShapeContext& ctx, int i);
std::optional<Ints> ConstantInts(ShapeContext& ctx, int i);
// Input i, a shape vector: its values as far as known, at least its rank when its length is.
Result<PartialShape> ShapeArgument(ShapeContext& ctx, int i);

}  // namespace weir::ops

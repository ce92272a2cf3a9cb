// Integer inputs (axes, sizes, paddings, indices): read once, widened, checked. Callers work on the copy, so that a
// variable that changes concurrently cannot bypass a check.
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
// `what` names the input in errors.
Result<int64_t> ScalarInt(const Tensor& t, std::string_view what);
Result<Ints> VectorInts(const Tensor& t, std::string_view what);
// Converts a vector to a shape. Checks signs and the number of elements.
Result<Shape> ShapeFromTensor(const Tensor& t, std::string_view what);
// Normalizes an axis in [-rank, rank) to [0, rank). The error names the range.
Result<int> CheckedAxis(int64_t axis, int rank, std::string_view what);

// An int32 or int64 vector.
Result<Tensor> IntVector(DType dtype, absl::Span<const int64_t> values);

// --- for shape functions

// The constant scalar in input i, or nullopt.
std::optional<int64_t> ConstantInt(ShapeContext& ctx, int i);
std::optional<Ints> ConstantInts(ShapeContext& ctx, int i);
// The shape given by the vector in input i, as far as known. If only its length is known, a shape of that rank.
Result<PartialShape> ShapeArgument(ShapeContext& ctx, int i);

}  // namespace weir::ops

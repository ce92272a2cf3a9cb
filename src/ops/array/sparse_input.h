// A sparse tensor input: indices [n, rank], values [n], shape [rank]. Read once and checked.
#pragma once

#include "ops/array/int_inputs.h"

namespace weir::ops {

struct SparseInput {
  Tensor values;
  int64_t count = 0;
  int rank = 0;
  Ints indices;  // count * rank
  Shape shape;

  absl::Span<const int64_t> index(int64_t i) const {
    return absl::MakeConstSpan(indices).subspan(static_cast<size_t>(i * rank), static_cast<size_t>(rank));
  }
  // Row-major order: negative, zero or positive if index i is before, equal to or after index j of `other`.
  int Compare(int64_t i, const SparseInput& other, int64_t j) const;
};

// Like in TensorFlow, ops that do not use the indices as addresses accept entries outside of the shape.
enum class Entries { kInside, kAnywhere };

// Errors name the inputs, prefixed with `what`.
Result<SparseInput> ReadSparseInput(const Tensor& indices, const Tensor& values, const Tensor& shape,
                                    std::string_view what, Entries entries = Entries::kInside);
// Like ReadSparseInput, but of `shape` reads only the length. Its values are not checked.
Result<SparseInput> ReadSparseEntries(const Tensor& indices, const Tensor& values, const Tensor& shape,
                                      std::string_view what);

// Checks for all reductions: axes are a scalar or a vector; a known shape has at least one dimension.
Status CheckReductionAxes(const Tensor& axes);
Status SparseReduceShape(ShapeContext& ctx);

// Returns the indices as a tensor [n, rank].
Result<Tensor> IndexMatrix(absl::Span<const int64_t> indices, int64_t count, int rank);

}  // namespace weir::ops

// Functions of sparse tensors as TensorFlow's users write them. A sparse tensor is three values that belong together:
// indices [n, rank], values [n] and dense_shape [rank]. Errors stay with the graph's build state, and the result is
// then invalid.
#pragma once

#include <optional>
#include <vector>

#include "graph/build/reduce.h"
#include "graph/graph.h"
#include "graph/input.h"

namespace weir {

struct Sparse {
  Output indices;
  Output values;
  Output dense_shape;
};

// `shape` absent: fed with the rest. A literal or an int64 vector: the default, where unknown sizes are -1.
Sparse SparsePlaceholder(Graph& graph, DType dtype, const Input& shape, std::string name = "");
// default_value absent: zero, or the empty string.
Output SparseToDenseOf(const Sparse& sparse, const Input& default_value = {}, bool validate_indices = true,
                       std::string name = "");
Sparse SparseFromDense(Graph& graph, const Input& tensor, std::string name = "");
Sparse SparseEye(Graph& graph, const Input& rows, const Input& columns = {}, DType dtype = kFloat,
                 std::string name = "");

// Sums smaller than the threshold are dropped where both have a value.
Sparse SparseSum(const Sparse& a, const Sparse& b, const Input& threshold = {});
Output SparseDenseSum(const Sparse& a, const Input& b);
Sparse SparseExtreme(const Sparse& a, const Sparse& b, bool maximum, std::string name = "");
Output SparseTimesDense(const Sparse& a, const Input& b, bool adjoint_a = false, bool adjoint_b = false,
                        std::string name = "");
Sparse SparseSoftmaxOf(const Sparse& sparse, std::string name = "");

// Over literal axes; all: over every axis.
Output SparseReduction(const char* op, const Sparse& sparse, const Axes& axes, bool keep_dims = false);
Sparse SparseReductionToSparse(const char* op, const Sparse& sparse, const Axes& axes, bool keep_dims = false);

// With expand_others the other dimensions grow to the largest among the inputs.
Sparse SparseConcatAll(const std::vector<Sparse>& inputs, int64_t axis, bool expand_others = false,
                       std::string name = "");
std::vector<Sparse> SparseSplitEvenly(const Sparse& sparse, int64_t count, const Input& axis, std::string name = "");
Sparse SparseSliceOf(const Sparse& sparse, const Input& start, const Input& size, std::string name = "");
Sparse SparseReordered(const Sparse& sparse, std::string name = "");
Sparse SparseReshaped(const Sparse& sparse, const Input& shape, std::string name = "");
// perm absent: the axes in reverse order.
Sparse SparseTransposed(const Sparse& sparse, const Input& perm = {}, std::string name = "");
Sparse SparseExpandDims(const Sparse& sparse, int64_t axis, std::string name = "");
// The entries for which `keep`, a vector of booleans, is true.
Sparse SparseRetained(const Sparse& sparse, const Input& keep);
// A larger dense shape; absent: the smallest that holds all entries.
Result<Sparse> SparseResetShape(const Sparse& sparse, const Input& new_shape = {});
struct FilledRows {
  Sparse sparse;
  Output empty_row_indicator;
};
FilledRows SparseFillRows(const Sparse& sparse, const Input& default_value, std::string name = "");

// Entries of `values` at the ids in place of the last index: one more dimension of size vocab_size per tensor of ids.
Result<Sparse> SparseMerge(const std::vector<Sparse>& ids, const Sparse& values, const InputList& vocab_sizes,
                           bool already_sorted = false, std::string name = "");
// [..., vocab_size] of booleans: true at the ids of each row.
Result<Output> SparseToIndicator(const Sparse& ids, const Input& vocab_size, std::string name = "");
Output EditDistanceOf(const Sparse& hypothesis, const Sparse& truth, bool normalize = true, std::string name = "");

// The rows of `slices` that mask_indices does not name.
IndexedSlices MaskSlices(const IndexedSlices& slices, const Input& mask_indices, std::string name = "");

}  // namespace weir

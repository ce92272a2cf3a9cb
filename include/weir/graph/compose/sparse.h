// TensorFlow's functions of sparse tensors. A sparse tensor consists of indices [n, rank], values [n] and dense_shape
// [rank]. Errors are recorded in the graph's build state; the result is then invalid.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "weir/graph/build/reduce.h"
#include "weir/graph/graph.h"
#include "weir/graph/input.h"

namespace weir {

struct Sparse {
  Output indices;
  Output values;
  Output dense_shape;
};

// If `shape` is absent, it must be fed too. Otherwise it is the default: a literal or an int64 vector, with -1 for
// unknown sizes.
Sparse SparsePlaceholder(Graph& graph, DType dtype, const Input& shape, std::string name = "");
// Without default_value: zero, or the empty string.
Output SparseToDense(const Sparse& sparse, const Input& default_value = {}, bool validate_indices = true,
                     std::string name = "");
Sparse SparseFromDense(Graph& graph, const Input& tensor, std::string name = "");
Sparse SparseEye(Graph& graph, const Input& rows, const Input& columns = {}, DType dtype = kFloat,
                 std::string name = "");

// Drops sums whose absolute value is below the threshold. Entries that only one operand has are kept.
Sparse SparseAdd(const Sparse& a, const Sparse& b, const Input& threshold = {});
Output SparseAdd(const Sparse& a, const Input& b);
Sparse SparseExtreme(const Sparse& a, const Sparse& b, bool maximum, std::string name = "");
Output SparseTensorDenseMatMul(const Sparse& a, const Input& b, bool adjoint_a = false, bool adjoint_b = false,
                               std::string name = "");
Sparse SparseSoftmax(const Sparse& sparse, std::string name = "");

// `axes` are literals.
Output SparseReduction(const char* op, const Sparse& sparse, const Axes& axes, bool keep_dims = false);
Sparse SparseReductionToSparse(const char* op, const Sparse& sparse, const Axes& axes, bool keep_dims = false);

// With expand_others, the other dimensions become the largest of the inputs.
Sparse SparseConcat(const std::vector<Sparse>& inputs, int64_t axis, bool expand_others = false, std::string name = "");
std::vector<Sparse> SparseSplit(const Sparse& sparse, int64_t count, const Input& axis, std::string name = "");
Sparse SparseSlice(const Sparse& sparse, const Input& start, const Input& size, std::string name = "");
Sparse SparseReorder(const Sparse& sparse, std::string name = "");
Sparse SparseReshape(const Sparse& sparse, const Input& shape, std::string name = "");
// Without `perm` reverses the axes.
Sparse SparseTranspose(const Sparse& sparse, const Input& perm = {}, std::string name = "");
Sparse SparseExpandDims(const Sparse& sparse, int64_t axis, std::string name = "");
// The entries for which the bool vector `keep` is true.
Sparse SparseRetain(const Sparse& sparse, const Input& keep);
// Sets a larger dense shape; absent: the smallest one that contains all entries.
Result<Sparse> SparseResetShape(const Sparse& sparse, const Input& new_shape = {});
struct FilledRows {
  Sparse sparse;
  Output empty_row_indicator;
};
FilledRows SparseFillEmptyRows(const Sparse& sparse, const Input& default_value, std::string name = "");

// Combines `values` with ids: the last index is replaced by the ids, with one dimension of size vocab_sizes[i] per id
// tensor.
Result<Sparse> SparseMerge(const std::vector<Sparse>& ids, const Sparse& values, const InputList& vocab_sizes,
                           bool already_sorted = false, std::string name = "");
// Bools [..., vocab_size]: true at the ids of each row.
Result<Output> SparseToIndicator(const Sparse& ids, const Input& vocab_size, std::string name = "");
// All combinations of the values that an example has in several features (matrices), joined with "_X_".
using CrossInput = std::variant<Output, Sparse>;
Sparse SparseCrossText(Graph& graph, const std::vector<CrossInput>& inputs, std::string name = "");
// The same as hashes: numbers below num_buckets, or any non-negative int64 if it is 0.
Sparse SparseCrossHashed(Graph& graph, const std::vector<CrossInput>& inputs, int64_t num_buckets = 0,
                         std::optional<int64_t> hash_key = {}, std::string name = "");
Output EditDistance(const Sparse& hypothesis, const Sparse& truth, bool normalize = true, std::string name = "");

// Removes the rows whose index is in mask_indices.
IndexedSlices MaskSlices(const IndexedSlices& slices, const Input& mask_indices, std::string name = "");

}  // namespace weir
